// What the page holds as data, and the words that it says of its own.

const data = JSON.parse(document.getElementById("data").textContent);
const words = data.words;
const filled = (text, slots) =>
  text.replace(/\{(\w+)\}/g, (slot, name) => (name in slots ? slots[name] : slot));
