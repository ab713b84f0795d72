import { locked, usage } from '../cli-error.ts'
import type { Environment } from '../environment.ts'
import type { Output } from '../output.ts'

const MIN_CHARACTERS = 12
const GENERATED_BYTES = 32

/**
 * Passphrases come from a person or from a file descriptor. Arguments and environment variables are readable by other
 * programs, so there is no option for those.
 */
export class Passphrases {
  readonly #environment: Environment
  readonly #output: Output
  readonly #descriptor: number | undefined
  #read: Promise<string> | undefined

  constructor(environment: Environment, output: Output, descriptor: number | undefined) {
    this.#environment = environment
    this.#output = output
    this.#descriptor = descriptor
  }

  /** Of keys that exist. */
  async existing(what: string): Promise<string> {
    return (await this.#fromDescriptor()) ?? this.#ask(`Passphrase of ${what}`)
  }

  /** For keys that are being written. A person types it twice. */
  async chosen(what: string): Promise<string> {
    const given = await this.#fromDescriptor()
    if (given !== undefined) return longEnough(given)
    const passphrase = longEnough(await this.#ask(`New passphrase for ${what}`))
    if ((await this.#ask('The same again')) === passphrase) return passphrase
    throw usage('The two passphrases differ', 'run it again')
  }

  async #ask(question: string): Promise<string> {
    const { isTerminal, prompts } = this.#environment
    if (!isTerminal)
      throw locked(
        'passphrase_missing',
        'A passphrase is needed and there is no terminal to ask at',
        'pass --passphrase-fd N with an open file descriptor, such as --passphrase-fd 3 3<file',
      )
    const answer = await this.#output.asking(() => prompts.password(question))
    if (answer === null) throw locked('passphrase_missing', 'No passphrase was given', 'run it again')
    return answer
  }

  async #fromDescriptor(): Promise<string | undefined> {
    const descriptor = this.#descriptor
    if (descriptor === undefined) return undefined
    this.#read ??= this.#environment.readDescriptor(descriptor).catch((cause: unknown) => {
      throw usage(
        `File descriptor ${descriptor} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        `open it for svc, such as ${descriptor}<file`,
      )
    })
    // One line, as editors and echo end it.
    const text = (await this.#read).replace(/\r?\n$/, '')
    if (text !== '') return text
    throw locked('passphrase_missing', `File descriptor ${descriptor} is empty`, 'write the passphrase to it')
  }
}

/** For a keychain, which nobody types. */
export function generatedPassphrase(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(GENERATED_BYTES))).toString('base64url')
}

function longEnough(passphrase: string): string {
  if (passphrase.length >= MIN_CHARACTERS) return passphrase
  throw usage(
    `The passphrase has fewer than ${MIN_CHARACTERS} characters`,
    `choose one of at least ${MIN_CHARACTERS}, such as five random words`,
  )
}
