import { TESTING_SITE_KEY } from '../configuration.ts'
import { SaidError } from '../failures/sentences.ts'
import { words } from '../words/sign-in/words.ts'

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'
/** What the widget gives with its testing key. */
const TESTING_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

interface Turnstile {
  render(container: HTMLElement, options: Readonly<Record<string, unknown>>): string
  remove(widget: string): void
}

/** The bot challenge: Turnstile's widget, which is loaded when it is first needed. */
export class Challenge {
  readonly #siteKey: string

  constructor(siteKey: string) {
    this.#siteKey = siteKey
  }

  /** A token for one request. The widget is shown below the form until it has passed. */
  async token(action: 'register' | 'login'): Promise<string> {
    if (this.#siteKey === TESTING_SITE_KEY) return TESTING_TOKEN
    const turnstile = await loaded()
    const container = document.createElement('div')
    container.className = 'challenge'
    document.querySelector('main')?.append(container)
    let widget = ''
    try {
      return await new Promise<string>((resolve, reject) => {
        const failed = () => reject(new SaidError(words.challengeFailed))
        const options = { sitekey: this.#siteKey, action, callback: resolve, 'error-callback': failed }
        widget = turnstile.render(container, options)
      })
    } finally {
      turnstile.remove(widget)
      container.remove()
    }
  }
}

async function loaded(): Promise<Turnstile> {
  const known = () => (globalThis as { turnstile?: Turnstile }).turnstile
  if (!known())
    await new Promise<void>((resolve, reject) => {
      const script = document.createElement('script')
      script.src = SCRIPT
      script.addEventListener('load', () => resolve())
      script.addEventListener('error', () => reject(new SaidError(words.challengeNotLoaded)))
      document.head.append(script)
    })
  const turnstile = known()
  if (!turnstile) throw new SaidError(words.challengeNotLoaded)
  return turnstile
}
