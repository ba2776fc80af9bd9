// Browsers start no workers on pages that are read from a disk. The search of the site needs one: there, a
// hidden frame runs its script instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = new URL(url, document.baseURI);
      this.loaded = new Promise((resolve) => { script.onload = resolve; });
      inside.document.body.append(script);
    }

    async postMessage(data) {
      await this.loaded;
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
