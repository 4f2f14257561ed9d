if ("DecompressionStream" in window) {
  associations();
} else document.documentElement.classList.remove("scripted");
