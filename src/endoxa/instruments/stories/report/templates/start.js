if ("DecompressionStream" in window) {
  stories();
  distributions();
  associations();
} else document.documentElement.classList.remove("scripted");
