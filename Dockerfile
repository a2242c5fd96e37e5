# Normscope in a container: `docker run IMAGE` serves the Space, `docker run IMAGE run …` is any verb.
# How to build and run it: docs/clusters.md.
FROM python:3.11-slim-bookworm AS build

# torch for processors alone; empty, the build with CUDA is taken from where all else comes from
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu

WORKDIR /src
COPY . .
RUN python -m venv /venv \
    && /venv/bin/python -m pip install --no-cache-dir --quiet \
        ${TORCH_INDEX:+--extra-index-url "${TORCH_INDEX}"} --constraint constraints.txt '.[judge,space]'

FROM python:3.11-slim-bookworm

# a number for the user, so that a cluster can see that it is not root
RUN useradd --uid 10001 --user-group --create-home --home-dir /data normscope \
    && mkdir /data/runs /data/huggingface \
    && chown -R normscope:normscope /data
COPY --from=build /venv /venv

# models and datasets are kept beside the runs, in the one place that can be written
ENV PATH=/venv/bin:$PATH \
    HF_HOME=/data/huggingface \
    MPLCONFIGDIR=/data/.config/matplotlib \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

USER 10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/', timeout=5)"]

ENTRYPOINT ["normscope"]
CMD ["serve", "--host", "0.0.0.0", "--port", "7860"]
