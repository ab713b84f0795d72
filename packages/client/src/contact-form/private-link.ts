/** The sealed reply of a form: the sender asks for it, and then keeps the private link that opens it. */

import type { ReplyKey } from '../inbox/reply.ts'
import type { View } from './view.ts'

export const PRIVATE_LINK_STYLE = `
.choice{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;margin-top:1.1rem}.choice label{margin:0}.choice .hint{grid-column:2}
.choice input{width:1.5rem;height:1.5rem;margin:0;accent-color:var(--act)}h3{font-size:1.05rem;margin:.25rem 0}
#reply-link{font-family:ui-monospace,monospace;font-size:.85rem}`

export const REPLY_CHOICE = `
<div class="choice" id="reply-choice" hidden>
<input type="checkbox" id="wants-reply" aria-describedby="wants-reply-hint">
<label for="wants-reply">Let the owner encrypt the answer</label>
<span class="hint" id="wants-reply-hint">You get a private link, and only this link opens the answer. Keep it: nobody can replace it.</span>
</div>`

export const PRIVATE_LINK = `
<div class="panel" id="private-link" hidden>
<h3>Keep your private link</h3>
<p>The answer comes to you as a file, by mail for example. Only this link opens it, and you see the link only here. Do not give it to anybody.</p>
<label for="reply-link">Private link</label>
<input id="reply-link" readonly>
<div class="row"><button type="button" id="copy-link">Copy the link</button>
<button type="button" class="plain" id="save-link">Save the link as a file</button></div>
</div>`

/** Long enough for a browser that starts a download late. */
const KEPT_MS = 60_000

/** The link of one form. It is made in this browser, and is nowhere else. */
export class PrivateLink {
  readonly #view: View
  #page: string | null = null

  constructor(view: View) {
    this.#view = view
  }

  /** Offers a sealed reply if the site names the page that opens it; null or no address offers none. */
  offer(page: string | null): void {
    this.#page = page !== null && URL.canParse(page, document.baseURI) ? new URL(page, document.baseURI).href : null
    this.#view.part('reply-choice').hidden = this.#page === null
  }

  get isWanted(): boolean {
    return this.#page !== null && this.#view.part<HTMLInputElement>('wants-reply').checked
  }

  /** Puts the link of a key on the last step, before the message is sent: afterwards it would be too late to fail. */
  async keep(key: ReplyKey): Promise<void> {
    const { replyLinkOf } = await import('../inbox/reply-link.ts')
    this.#view.part<HTMLInputElement>('reply-link').value = replyLinkOf(key, this.#page ?? '')
    this.#view.part('private-link').hidden = false
  }

  forget(): void {
    this.#view.part<HTMLInputElement>('reply-link').value = ''
    this.#view.part('private-link').hidden = true
  }

  async copy(): Promise<void> {
    const field = this.#view.part<HTMLInputElement>('reply-link')
    try {
      await navigator.clipboard.writeText(field.value)
      this.#view.say('The link was copied.')
    } catch {
      // A site can forbid it, and there is none without HTTPS.
      field.select()
      this.#view.say('The link is selected. Copy it with the keyboard or the menu.')
    }
  }

  save(): void {
    const text = `${this.#view.part<HTMLInputElement>('reply-link').value}\n`
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = 'private-link.txt'
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
    this.#view.say('The link was saved as a file.')
  }
}
