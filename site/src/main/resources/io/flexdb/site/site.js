// Search, colours, and copying of code. The pages can be read without.
"use strict";
{
  const input = document.getElementById("search");
  const list = document.getElementById("results");
  let loading = null;
  let chosen = -1;

  // The sections of all pages, when they are needed first; a script, since pages from a disk may not fetch files.
  const sections = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "sections.js";
    script.onload = () => done(window.sections.map(([address, page, title, text]) =>
      ({ address, page, title, text, lowTitle: (page + " " + title).toLowerCase(), low: text.toLowerCase() })));
    script.onerror = failed;
    document.head.append(script);
  });

  // Short words stand for themselves, longer ones also for parts of words, such as names in code.
  const source = word => {
    const escaped = word.replace(/[^\p{L}\p{N}\s]/gu, "\\$&");
    return word.length < 3 ? "(?<![\\p{L}\\p{N}])" + escaped + "(?![\\p{L}\\p{N}])" : escaped;
  };
  const count = (text, word) => (text.match(new RegExp(source(word), "gu")) ?? []).length;

  // Words in titles count most, then all of them side by side, then how often they are there.
  const points = (section, words) => {
    const phrase = words.join(" ");
    let sum = (section.lowTitle.includes(phrase) ? 30 : 0) + (section.low.includes(phrase) ? 30 : 0)
      + (section.title.toLowerCase() === phrase ? 30 : 0);
    for (const word of words) {
      const times = count(section.low, word);
      const inTitle = count(section.lowTitle, word) > 0;
      if (!inTitle && times === 0) return 0;
      sum += (inTitle ? 20 : 0) + Math.min(times, 5);
    }
    return sum;
  };

  const marked = (text, words) => {
    const part = document.createDocumentFragment();
    const pattern = new RegExp("(" + [words.join(" "), ...words].map(source).join("|") + ")", "giu");
    text.split(pattern).forEach((piece, i) => {
      if (i % 2 === 0) {
        part.append(piece);
      } else {
        const mark = document.createElement("mark");
        mark.textContent = piece;
        part.append(mark);
      }
    });
    return part;
  };

  const excerpt = (section, words) => {
    const places = [words.join(" "), ...words].map(word => section.low.search(new RegExp(source(word), "u")));
    const place = places.find(each => each >= 0) ?? 0;
    const from = place < 40 ? 0 : section.text.indexOf(" ", place - 40) + 1;
    return (from > 0 ? "… " : "") + section.text.slice(from, from + 140) + (section.text.length > from + 140 ? " …" : "");
  };

  const show = (shown) => {
    list.hidden = !shown;
    input.setAttribute("aria-expanded", String(shown));
    if (!shown) {
      chosen = -1;
      input.removeAttribute("aria-activedescendant");
    }
  };

  const choose = (number) => {
    const items = list.querySelectorAll("[role=option]");
    if (items.length === 0) return;
    chosen = (number + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    items[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", items[chosen].id);
  };

  const search = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(word => word.length > 0);
    if (words.length === 0) {
      show(false);
      return;
    }
    const asked = input.value;
    const all = await sections();
    if (asked !== input.value) return; // typed on meanwhile
    const found = all.map(section => ({ section, sum: points(section, words) }))
      .filter(each => each.sum > 0)
      .sort((a, b) => b.sum - a.sum)
      .slice(0, 12);
    list.replaceChildren(...found.map(({ section }, i) => {
      const item = document.createElement("li");
      item.id = "result-" + i;
      item.setAttribute("role", "option");
      const link = document.createElement("a");
      link.href = section.address;
      link.tabIndex = -1;
      link.append(marked(section.title === section.page ? section.page : section.page + " › " + section.title, words));
      const text = document.createElement("small");
      text.append(marked(excerpt(section, words), words));
      link.append(text);
      item.append(link);
      return item;
    }));
    if (found.length === 0) {
      const none = document.createElement("li");
      none.innerHTML = "<p>Nothing found.</p>";
      list.append(none);
    }
    show(true);
    choose(0);
  };

  input.addEventListener("input", search);
  input.addEventListener("focus", () => { sections().catch(() => {}); if (input.value) search(); });
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !list.hidden && chosen >= 0) {
      list.querySelectorAll("a")[chosen]?.click();
    } else if (event.key === "Escape") {
      show(false);
      input.blur();
    }
  });
  list.addEventListener("click", () => show(false));
  document.addEventListener("click", event => { if (!event.target.closest(".search")) show(false); });
  document.addEventListener("keydown", event => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
  document.querySelector(".search").hidden = false;
}
{
  const root = document.documentElement;
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch (e) {
      // Nothing may be stored here: the choice holds for this page.
    }
  });
}
if (navigator.clipboard) {
  document.querySelectorAll("main pre").forEach(block => {
    const around = document.createElement("div");
    around.className = "code";
    block.replaceWith(around);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    around.append(block, button);
  });
}
