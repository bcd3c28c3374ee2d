// Browsers start no worker from the disk. There the search runs in a hidden frame instead, which
// looks like a worker to the page: it gets messages, and what it posts becomes an event here.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const base = new URL(url, location.href);
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      const load = (source) =>
        new Promise((resolve, reject) => {
          const script = inside.document.createElement("script");
          script.onload = resolve;
          script.onerror = reject;
          script.src = new URL(source, base).href;
          inside.document.body.appendChild(script);
        });
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      inside.postMessage = (data) => this.answer(data);
      load(base).then(() => {
        this.deliver = (data) =>
          inside.dispatchEvent(new inside.MessageEvent("message", { data }));
        this.waiting.splice(0).forEach((data) => this.deliver(data));
      });
    }

    postMessage(data) {
      if (this.deliver) this.deliver(data);
      else this.waiting.push(data);
    }

    answer(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    terminate() {}
  };
}
