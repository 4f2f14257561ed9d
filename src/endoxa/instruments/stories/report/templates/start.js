if ("DecompressionStream" in window) {
  distributions();
  associations();
} else document.documentElement.classList.remove("scripted");
