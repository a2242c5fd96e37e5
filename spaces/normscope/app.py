"""The Space: `python app.py`, here or on the Hub."""

from normscope.spaces.normscope import build, serve

if __name__ == "__main__":
    serve(build())
