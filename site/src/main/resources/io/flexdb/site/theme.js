// Before anything is shown: the colours that the reader chose last.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch (e) {
  // Nothing may be stored here: then those of the system.
}
