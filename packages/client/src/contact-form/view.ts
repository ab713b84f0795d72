export const FIELDS = ['name', 'email', 'subject', 'message'] as const
export type Field = (typeof FIELDS)[number] | 'code'
export type Step = 'form' | 'code' | 'done'

const CLAIMED =
  'The service names it as the owner; this page does not confirm it. If you know the owner, compare it before you send anything private.'

/** The elements of a rendered form, by id. */
export class View {
  readonly #root: ShadowRoot

  constructor(root: ShadowRoot) {
    this.#root = root
  }

  part<E extends HTMLElement = HTMLElement>(id: string): E {
    const found = this.#root.getElementById(id)
    if (!found) throw new Error(`The form has no element ${id}`)
    return found as E
  }

  value(field: Field): string {
    return this.part<HTMLInputElement>(field).value.trim()
  }

  /** Shows one step and focuses its heading, where a screen reader continues. */
  show(step: Step): void {
    for (const one of ['form', 'code', 'done']) this.part(`${one}-step`).hidden = one !== step
    this.clear()
    this.part(`${step}-title`).focus()
  }

  /** Says in the first step what is known of who can read the message; `owner` is null if the page names none. */
  expect(owner: string | null): void {
    this.part('reader-pinned').hidden = owner === null
    this.part('reader-claimed').hidden = owner !== null
    this.part('pinned-owner').textContent = owner
  }

  /** Shows whose key the message is encrypted to, before it is sent. */
  address(owner: string, ownerIs: 'pinned' | 'claimed'): void {
    const isPinned = ownerIs === 'pinned'
    this.part('recipient').classList.toggle('plain', isPinned)
    this.part('recipient-title').textContent = isPinned
      ? 'Only the owner can read your message:'
      : 'Only this identity can read your message:'
    this.part('recipient-note').textContent = isPinned ? '' : CLAIMED
    for (const id of ['recipient-did', 'sent-did']) this.part(id).textContent = owner
  }

  say(text: string): void {
    this.part('status').textContent = text
  }

  clear(): void {
    this.part('problem').hidden = true
    this.say('')
    for (const field of [...FIELDS, 'code'] as const) this.#mark(field, '')
  }

  /** Shows field errors next to their fields and focuses the first. */
  mend(errors: ReadonlyMap<Field, string>): void {
    this.clear()
    for (const [field, text] of errors) this.#mark(field, text)
    const [first] = errors.keys()
    if (first) this.part(first).focus()
  }

  /** Shows an error about the whole form. */
  problem(text: string): void {
    this.clear()
    const panel = this.part('problem')
    panel.textContent = text
    panel.hidden = false
    panel.focus()
  }

  #mark(field: Field, text: string): void {
    const input = this.part(field)
    const error = this.part(`${field}-error`)
    const hint = this.#root.getElementById(`${field}-hint`) ? [`${field}-hint`] : []
    const about = text === '' ? hint : [...hint, `${field}-error`]
    error.textContent = text
    error.hidden = text === ''
    if (text === '') input.removeAttribute('aria-invalid')
    else input.setAttribute('aria-invalid', 'true')
    if (about.length === 0) input.removeAttribute('aria-describedby')
    else input.setAttribute('aria-describedby', about.join(' '))
  }
}
