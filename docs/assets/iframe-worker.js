/* A page that is opened as a file may start no worker, so that its search would be silent: here the
   script of a worker runs in a frame that nobody sees. The theme's worker knows it by this name. */
window.IFrameWorker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    const scope = frame.contentWindow;
    const loaded = (address) =>
      new Promise((resolve, reject) => {
        const script = scope.document.createElement("script");
        Object.assign(script, { src: address, onload: resolve, onerror: reject });
        scope.document.body.append(script);
      });
    // scripts of a frame load one after the other, as those of a worker do
    scope.importScripts = (...addresses) =>
      addresses.reduce((before, address) => before.then(() => loaded(address)), Promise.resolve());
    scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    this.scope = scope;
    this.ready = loaded(new URL(url, document.baseURI).href);
  }

  postMessage(data) {
    this.ready.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
  }
};
if (location.protocol === "file:") window.Worker = window.IFrameWorker;
