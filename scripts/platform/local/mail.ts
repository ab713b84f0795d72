import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const WAIT_MS = 5_000
const STEP_MS = 50

/** The mail of a local platform. The runtime sends nothing; it writes the text of each message to a file. */
export class LocalMail {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** The code in the newest unread mail about a subject. Waits a moment, because the file may be late. */
  async codeIn(about: string, other = ''): Promise<string> {
    for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; ) {
      const code = this.#newest(about)
      if (code !== undefined && code !== other) return code
      await new Promise((resolve) => {
        setTimeout(resolve, STEP_MS)
      })
    }
    throw new Error(`no mail in ${this.folder} mentions ${about}`)
  }

  #newest(about: string): string | undefined {
    const mails = globSync('**/*.txt', { cwd: this.folder })
      .map((file) => ({ path: join(this.folder, file), at: statSync(join(this.folder, file)).mtimeMs }))
      .toSorted((a, b) => b.at - a.at)
      .map(({ path }) => readFileSync(path, 'utf8'))
    const text = mails.find((mail) => mail.includes(about))
    return text && /code is (\d{6})\n/.exec(text)?.[1]
  }
}
