import { globSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const WAIT_MS = 5_000
const STEP_MS = 50

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Where the text of each mail is written. */
export const mailFolder = (stateDir: string) => join(stateDir, 'mail')

/** What a code looks like in a mail: six digits, or an activation code. */
const CODE = /\bcode is ([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}|\d{6})\n/

/** The code in the text of a mail. */
export function codeOf(text: string): string | undefined {
  return CODE.exec(text)?.[1]
}

/** One line about a mail, for the developer at this machine: the code in it, or its subject. */
export function lineOf({ to, subject, text }: Mail): string {
  const code = codeOf(text)
  return `mail to ${to}: ${code === undefined ? subject : `your code is ${code}`}`
}

/** The runtime says of each mail who gets it and which file has its text. Null for anything else that it says. */
export function announcedIn(message: string): { to: string; subject: string; path: string } | null {
  const plain = stripVTControlCharacters(message)
  if (!plain.startsWith('send_email binding called with MessageBuilder:')) return null
  const member = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(plain)?.[1]
  const [to, subject, path] = [member('To'), member('Subject'), member('Text')]
  return to === undefined || subject === undefined || path === undefined ? null : { to, subject, path }
}

/** The mail of a local platform. The runtime sends nothing; it writes the text of each message to a file. */
export class LocalMail {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /**
   * Takes what the runtime says. For a mail, puts the address and the subject before the text in its file, and returns it;
   * null for anything else. Replaces the file at once, because another process may be reading it.
   */
  take(message: string): Mail | null {
    const announced = announcedIn(message)
    if (!announced) return null
    const { to, subject, path } = announced
    const text = readFileSync(path, 'utf8')
    writeFileSync(`${path}.part`, `To: ${to}\nSubject: ${subject}\n\n${text}`)
    renameSync(`${path}.part`, path)
    return { to, subject, text }
  }

  /** The code in the newest mail about a subject, or to an address. Waits a moment, because the file may be late. */
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

  /** How many mails mention something, such as an address. */
  countOf(about: string): number {
    return this.#newestFirst().filter((mail) => mail.includes(about)).length
  }

  #newest(about: string): string | undefined {
    const text = this.#newestFirst().find((mail) => mail.includes(about))
    return text && codeOf(text)
  }

  #newestFirst(): string[] {
    return globSync('**/*.txt', { cwd: this.folder })
      .map((file) => ({ path: join(this.folder, file), at: statSync(join(this.folder, file)).mtimeMs }))
      .toSorted((a, b) => b.at - a.at)
      .map(({ path }) => readFileSync(path, 'utf8'))
  }
}
