/** Turnstile's widget where the host page has loaded its script; its testing token under its testing site key. */

const TESTING_SITE_KEY = '1x00000000000000000000AA'
const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

interface Turnstile {
  render(container: HTMLElement, options: Record<string, unknown>): string
  reset(widget: string): void
}

/** The challenge of one form. The widget stands in the light DOM of the element, where its script expects to be. */
export class Challenge {
  readonly #host: HTMLElement
  readonly #siteKey: () => string
  #widget: string | null = null
  #token = ''

  constructor(host: HTMLElement, siteKey: () => string) {
    this.#host = host
    this.#siteKey = siteKey
  }

  /** Puts up the widget if its script is there and it is not up yet. */
  prepare(): void {
    const { turnstile } = globalThis as { turnstile?: Turnstile }
    if (!turnstile || this.#widget !== null || this.#siteKey() === '') return
    const container = document.createElement('div')
    container.slot = 'challenge'
    this.#host.append(container)
    const forget = () => {
      this.#token = ''
    }
    this.#widget = turnstile.render(container, {
      sitekey: this.#siteKey(),
      action: 'contact',
      callback: (token: string) => {
        this.#token = token
      },
      'expired-callback': forget,
      'error-callback': forget,
    })
  }

  /** A token for one request; '' while there is none. */
  take(): string {
    this.prepare()
    const token = this.#token
    if (this.#widget === null && this.#siteKey() === TESTING_SITE_KEY) return DUMMY_TOKEN
    this.#token = ''
    return token
  }

  /** A token serves once: after a request the widget makes another. */
  renew(): void {
    const { turnstile } = globalThis as { turnstile?: Turnstile }
    if (turnstile && this.#widget !== null) turnstile.reset(this.#widget)
  }
}
