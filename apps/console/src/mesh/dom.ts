type Attributes = Readonly<Record<string, string | boolean>>;

/** An element with its attributes and what stands in it. Text is text: nothing that came from elsewhere becomes markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(name, value === true ? '' : value);
  made.append(...content);
  return made;
}

/** The element of the page with this id. @throws {Error} where the page has none: page and script are not of one build */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Names and values, one below the other. */
export function definitions(entries: readonly (readonly [name: string, value: string])[]): HTMLElement {
  const list = element('dl');
  for (const [name, value] of entries) {
    list.append(element('dt', {}, name), element('dd', { class: 'mono' }, value));
  }
  return list;
}

/** A field with its name. */
export function field(name: string, attributes: Attributes): { label: HTMLElement; input: HTMLInputElement } {
  const input = element('input', { autocomplete: 'off', ...attributes });
  return { label: element('label', {}, name, input), input };
}

/** A form whose sending is the page's own matter. */
export function form(content: readonly Node[], onSubmit: () => void): HTMLFormElement {
  const made = element('form', {}, ...content);
  made.addEventListener('submit', event => {
    event.preventDefault();
    onSubmit();
  });
  return made;
}

/** A list whose newest entry is last and seen; the oldest go. */
export function boundedList(label: string, entriesMax: number): { list: HTMLElement; add(item: Node): void } {
  const list = element('ol', { class: 'scroll', 'aria-label': label, tabindex: '0' });
  return {
    list,
    add(item) {
      list.append(item);
      while (list.children.length > entriesMax) list.firstElementChild!.remove();
      list.scrollTop = list.scrollHeight;
    },
  };
}
