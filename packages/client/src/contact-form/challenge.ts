/** Renders Turnstile's widget if the host page has loaded its script; sends its test token with its test site key. */

const TESTING_SITE_KEY = '1x00000000000000000000AA'
const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

interface Turnstile {
  render(container: HTMLElement, options: Record<string, unknown>): string
  reset(widget: string): void
}

/** The challenge of one form. The widget is in the light DOM of the element, where its script expects it. */
export class Challenge {
  readonly #host: HTMLElement
  readonly #siteKey: () => string
  #widget: string | null = null
  #token = ''

  constructor(host: HTMLElement, siteKey: () => string) {
    this.#host = host
    this.#siteKey = siteKey
  }

  /** Renders the widget once its script is loaded. */
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

  /** A token for one request, or '' if there is none yet. */
  take(): string {
    this.prepare()
    const token = this.#token
    if (this.#widget === null && this.#siteKey() === TESTING_SITE_KEY) return DUMMY_TOKEN
    this.#token = ''
    return token
  }

  /** Tokens are single-use: after a request, the widget makes another. */
  renew(): void {
    const { turnstile } = globalThis as { turnstile?: Turnstile }
    if (turnstile && this.#widget !== null) turnstile.reset(this.#widget)
  }
}
