import { type Secret, secretOf } from '#client/text'
import { locked, usage } from '../cli-error.ts'
import type { Environment } from '../environment.ts'
import type { Output } from '../output.ts'
import { textIn } from '../texts.ts'

const MIN_CHARACTERS = 12
const GENERATED_BYTES = 32

/** What is asked for, and the option with its file descriptor. */
interface Kind {
  readonly name: 'passphrase' | 'password'
  readonly option: string
}
const PASSPHRASE: Kind = { name: 'passphrase', option: '--passphrase-fd' }
/** Of a sign-in account. Another secret than the passphrase of the keys. */
export const PASSWORD: Kind = { name: 'password', option: '--password-fd' }

/**
 * Passphrases come from a person or from a file descriptor. Arguments and environment variables are readable by other
 * programs, so there is no option for those.
 */
export class Passphrases {
  readonly #environment: Environment
  readonly #output: Output
  readonly #descriptor: number | undefined
  readonly #kind: Kind
  #read: Promise<Uint8Array> | undefined

  constructor(environment: Environment, output: Output, descriptor: number | undefined, kind = PASSPHRASE) {
    this.#environment = environment
    this.#output = output
    this.#descriptor = descriptor
    this.#kind = kind
  }

  /** Of keys that exist. */
  async existing(what: string): Promise<Secret> {
    return (await this.#fromDescriptor()) ?? this.#ask(`${capital(this.#kind.name)} of ${what}`)
  }

  /** For keys that are being written. A person types it twice. */
  async chosen(what: string): Promise<Secret> {
    const given = await this.#fromDescriptor()
    const { name } = this.#kind
    if (given !== undefined) return longEnough(given, name)
    const passphrase = longEnough(await this.#ask(`New ${name} for ${what}`), name)
    if ((await this.#ask('The same again')) === passphrase) return passphrase
    throw usage(`The two ${name}s differ`, 'run it again')
  }

  async #ask(question: string): Promise<Secret> {
    const { isTerminal, prompts } = this.#environment
    const { name, option } = this.#kind
    if (!isTerminal)
      throw locked(
        `${name}_missing`,
        `A ${name} is needed and there is no terminal to ask at`,
        `pass ${option} N with an open file descriptor, such as ${option} 3 3<file`,
      )
    const answer = await this.#output.asking(() => prompts.password(question))
    if (answer === null) throw locked(`${name}_missing`, `No ${name} was given`, 'run it again')
    return secretOf(answer)
  }

  async #fromDescriptor(): Promise<Secret | undefined> {
    const descriptor = this.#descriptor
    if (descriptor === undefined) return undefined
    this.#read ??= this.#environment.readDescriptor(descriptor).catch((cause: unknown) => {
      throw usage(
        `File descriptor ${descriptor} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        `open it for svc, such as ${descriptor}<file`,
      )
    })
    // One line, as editors and echo end it.
    const text = textIn(`File descriptor ${descriptor}`, await this.#read).replace(/\r?\n$/, '')
    if (text !== '') return secretOf(text)
    const { name } = this.#kind
    throw locked(`${name}_missing`, `File descriptor ${descriptor} is empty`, `write the ${name} to it`)
  }
}

/** For a keychain, which nobody types. */
export function generatedPassphrase(): Secret {
  return secretOf(Buffer.from(crypto.getRandomValues(new Uint8Array(GENERATED_BYTES))).toString('base64url'))
}

function longEnough(passphrase: Secret, name: Kind['name']): Secret {
  if (passphrase.length >= MIN_CHARACTERS) return passphrase
  throw usage(
    `The ${name} has fewer than ${MIN_CHARACTERS} characters`,
    `choose one of at least ${MIN_CHARACTERS}, such as five random words`,
  )
}

function capital(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}
