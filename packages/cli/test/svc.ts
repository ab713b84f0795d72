import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fetch } from '@svc/client'
import { expect } from 'vitest'
import { type Environment, type ExitCode, type Keychain, run } from '../src/index.ts'
import { faultOfResult } from './documented-results.ts'

type Answer = string | boolean | null

export interface Ended {
  readonly code: ExitCode
  readonly stdout: string
  readonly stderr: string
}

export interface Machine {
  readonly home: string
  /** Runs `svc` with these words. */
  svc(words: string | readonly string[], more?: Partial<Outside>): Promise<Ended>
  remove(): void
}

export interface Outside {
  readonly fetch: Fetch
  readonly stdin: string | Uint8Array
  readonly isTerminal: boolean
  readonly hasColours: boolean
  readonly errorsHaveColours: boolean
  readonly variables: Readonly<Record<string, string>>
  readonly now: () => number
  readonly keychain: Keychain
  /** What a person answers, in order; null for giving up. */
  readonly answers: readonly (Answer | ((question: string) => Promise<Answer>))[]
  /** Told what is written to standard error, while the command runs. */
  readonly onStderr: (text: string) => void
  /** What is behind file descriptor 3. */
  readonly descriptor: string | Uint8Array
}

export const PASSPHRASE = 'correct horse battery staple'

/** A machine of its own: nothing on it, no terminal, no network and no keychain, unless a test gives it some. */
export function newMachine(always: Partial<Outside> = {}): Machine {
  const home = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  return {
    home,
    remove: () => rmSync(home, { recursive: true, force: true }),
    async svc(words, more = {}) {
      const [out, err]: [string[], string[]] = [[], []]
      const environment = environmentOf(home, { ...always, ...more }, out, err)
      const code = await run(typeof words === 'string' ? words.split(' ') : words, environment)
      const ended = { code, stdout: out.join(''), stderr: err.join('') }
      expect(faultOfResult(typeof words === 'string' ? words.split(' ') : words, ended.stdout)).toBeNull()
      return ended
    },
  }
}

function environmentOf(home: string, outside: Partial<Outside>, out: string[], err: string[]): Environment {
  const { fetch = refusing, stdin = '', isTerminal = false, keychain = null } = outside
  const { hasColours = false, errorsHaveColours = false } = outside
  const answers = [...(outside.answers ?? [])]
  const answer = async (question: string) => {
    const [next] = answers.splice(0, 1)
    if (next === undefined) throw new Error('Nobody expected a question')
    return typeof next === 'function' ? next(question) : next
  }
  return {
    fetch,
    isTerminal,
    hasColours,
    errorsHaveColours,
    home,
    folder: home,
    stdin: async () => (typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin),
    stdout: (text) => void out.push(typeof text === 'string' ? text : new TextDecoder().decode(text)),
    stderr: (text) => {
      err.push(text)
      outside.onStderr?.(text)
    },
    now: outside.now ?? Date.now,
    variables: outside.variables ?? {},
    readDescriptor: async () => {
      if (outside.descriptor === undefined) throw new Error('EBADF')
      const { descriptor } = outside
      return typeof descriptor === 'string' ? new TextEncoder().encode(descriptor) : descriptor
    },
    prompts: {
      password: async (question) => (await answer(question)) as string | null,
      confirm: async (question) => (await answer(question)) as boolean,
      text: async (question) => (await answer(question)) as string | null,
    },
    keychain: async () => keychain,
  }
}

const refusing: Fetch = async () => {
  throw new TypeError('fetch failed')
}
