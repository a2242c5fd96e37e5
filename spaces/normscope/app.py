"""The Space: `python app.py`, here or on the Hub."""

from normscope.space import build, serve

if __name__ == "__main__":
    serve(build())
