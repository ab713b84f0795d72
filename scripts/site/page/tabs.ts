/** The language that the reader chose last, for all pages. */
const CHOICE = 'language'

/** Turns blocks in several languages, which the page shows one below the other, into tabs. */
export function addTabs(within: ParentNode, remember: (name: string, value: string) => void): void {
  const groups = [...within.querySelectorAll('.variants')].map((group, at) => new Tabs(group, at))
  const choose = (name: string) => {
    for (const group of groups) group.show(name)
  }
  for (const group of groups)
    group.onChoice = (name, button) => {
      // Groups above can change their height; the one that was used stays where it is.
      const before = button.getBoundingClientRect().top
      choose(name)
      scrollBy(0, button.getBoundingClientRect().top - before)
      remember(CHOICE, name)
    }
  choose(remembered())
}

function remembered(): string {
  try {
    return localStorage.getItem(CHOICE) ?? ''
  } catch {
    return ''
  }
}

class Tabs {
  onChoice: (name: string, button: HTMLButtonElement) => void = () => {}
  readonly #panels = new Map<string, HTMLElement>()
  readonly #buttons = new Map<string, HTMLButtonElement>()

  constructor(group: Element, number: number) {
    const list = document.createElement('div')
    list.className = 'tabs'
    list.setAttribute('role', 'tablist')
    list.setAttribute('aria-label', 'Language')
    for (const panel of group.querySelectorAll<HTMLElement>('.variant')) {
      const name = panel.dataset['name'] ?? ''
      const button = document.createElement('button')
      Object.assign(button, { type: 'button', textContent: name, id: `tab-${number}-${this.#panels.size}` })
      button.setAttribute('role', 'tab')
      panel.id = `panel-${number}-${this.#panels.size}`
      panel.setAttribute('role', 'tabpanel')
      panel.setAttribute('aria-labelledby', button.id)
      button.setAttribute('aria-controls', panel.id)
      button.addEventListener('click', () => this.onChoice(name, button))
      this.#panels.set(name, panel)
      this.#buttons.set(name, button)
      list.append(button)
    }
    list.addEventListener('keydown', (event) => this.#move(event))
    group.prepend(list)
    group.classList.add('tabbed')
    this.show('')
  }

  /** The named language, or the first where this group does not have it. */
  show(name: string): void {
    const [first = ''] = this.#panels.keys()
    const shown = this.#panels.has(name) ? name : first
    for (const [other, panel] of this.#panels) panel.hidden = other !== shown
    for (const [other, button] of this.#buttons) {
      button.setAttribute('aria-selected', String(other === shown))
      button.tabIndex = other === shown ? 0 : -1
    }
  }

  #move(event: KeyboardEvent): void {
    const buttons = [...this.#buttons.values()]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
    if (at === -1 || to === undefined) return
    event.preventDefault()
    const button = buttons.at(to % buttons.length)
    button?.focus()
    button?.click()
  }
}
