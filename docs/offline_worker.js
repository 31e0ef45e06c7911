// Workers for pages that are read from files, where browsers refuse scripts of workers: an invisible frame takes the place
// of the worker. The site's search runs in one.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const outside = this;
      this.inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        outside.dispatchEvent(event);
        if (outside.onmessage) outside.onmessage(event);
      };
      const load = (address) => new Promise((done, failed) => {
        const script = frame.contentDocument.createElement("script");
        script.src = new URL(address, new URL(url, location));
        script.onload = done;
        script.onerror = failed;
        frame.contentDocument.body.append(script);
      });
      this.inside.importScripts = (...all) => all.reduce((before, one) => before.then(() => load(one)), Promise.resolve());
      this.inside.__index = window.__index;
      this.loaded = load(new URL(url, location));
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }
    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
