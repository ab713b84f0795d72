import type { Fetch } from '#client'
import type { Keychain } from './keys/keychain.ts'

/** Asks a person. Present only where there is a terminal. */
export interface Prompts {
  /** Null if the person gave up. */
  password(question: string): Promise<string | null>
  confirm(question: string): Promise<boolean>
  text(question: string): Promise<string | null>
}

/** Everything outside that a command uses. Tests pass their own. */
export interface Environment {
  readonly stdin: () => Promise<Uint8Array>
  readonly stdout: (text: string | Uint8Array) => void
  readonly stderr: (text: string) => void
  /** Whether a person sits at it: standard input and error are a terminal. */
  readonly isTerminal: boolean
  /** Whether standard output is a terminal. */
  readonly hasColours: boolean
  /** Whether standard error is. */
  readonly errorsHaveColours: boolean
  /** The runtime's if undefined. */
  readonly fetch: Fetch | undefined
  readonly now: () => number
  readonly home: string
  readonly folder: string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Reads an open file descriptor to its end. */
  readonly readDescriptor: (descriptor: number) => Promise<Uint8Array>
  readonly prompts: Prompts
  /** The keychain of the operating system; null where there is none. */
  readonly keychain: () => Promise<Keychain | null>
}
