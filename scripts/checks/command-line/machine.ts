import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Ended, newMachine, type Outside, PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { freshAddress } from '../running-platform/fresh-address.ts'

/** Returns a `fetch` that sends requests from an address. */
export function fetchFrom(address: string) {
  return (url: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('cf-connecting-ip', address)
    return fetch(url, { ...init, headers })
  }
}

/**
 * A machine with `svc` that reaches the running platform. It has an address of its own, because identities and pairings
 * are limited per address. Its user confirms everything and has the passphrase.
 */
export class PlatformMachine {
  readonly #machine = newMachine({ fetch: fetchFrom(freshAddress()), descriptor: PASSPHRASE })

  get home(): string {
    return this.#machine.home
  }

  run(words: string | readonly string[], more: Partial<Outside> = {}): Promise<Ended> {
    const given = typeof words === 'string' ? words.split(' ') : words
    return this.#machine.svc([...given, '--json', '--yes', '--passphrase-fd', '3'], more)
  }

  /** The JSON of a command that must end with a code. */
  async json<T>(words: string | readonly string[], expected = 0, more: Partial<Outside> = {}): Promise<T> {
    const { code, stdout, stderr } = await this.run(words, more)
    expect(code, `svc ${String(words)}: ${stderr}`).toBe(expected)
    return JSON.parse(stdout) as T
  }

  /** The code and the name of a failure. */
  async failure(words: string | readonly string[]): Promise<string> {
    const { code, stderr } = await this.run(words)
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: { code: string } }
    return `${code} ${error.code}`
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.home, name), content)
  }

  read(name: string): string {
    return readFileSync(join(this.home, name), 'utf8')
  }

  remove(): void {
    this.#machine.remove()
  }
}
