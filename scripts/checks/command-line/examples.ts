/**
 * Types the examples of the help, as they stand there, in a shell against a running platform. Only what stands for
 * something of the reader is put in: addresses, DIDs and other ids.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect } from 'vitest'
import { GROUPS } from '../../../packages/cli/src/groups.ts'
import { Shells } from './shell.ts'

export const DID = 'did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz'
const PASSWORD_COMMANDS = /^svc signin (?:register|confirm|login|password|wrap|unwrap) /
/** Groups with a file of examples of their own: those of a service, and those in which others take part. */
export const OF_SERVICES = ['content', 'image', 'video', 'governance', 'epoch', 'signin']
export const WITH_OTHERS = ['directory', 'org', 'device', 'rotate', 'recovery', 'guardian']
const { urls } = sharedPlatform()

export interface How {
  readonly as?: string
  readonly ends?: number
  /** A file that standard error goes to. */
  readonly screen?: string
  /** What is put in for what: the example’s text first. */
  readonly with?: Readonly<Record<string, string>>
}

/** Those of some groups, and the people who type them. */
export class Examples {
  readonly shells = new Shells()
  /** What `me` and `friend` are called. */
  readonly ids = new Map<string, string>()
  readonly all: readonly string[]
  readonly #run = new Set<string>()

  constructor(isMeant: (group: string) => boolean) {
    const groups = GROUPS.filter(({ name }) => isMeant(name ?? ''))
    this.all = groups.flatMap(({ commands }) => commands).flatMap((spec) => spec.examples)
  }

  idOf(name: string): string {
    return this.ids.get(name) ?? name
  }

  /** Those that nobody has typed. */
  left(): string[] {
    return this.all.filter((line) => !this.#run.has(line))
  }

  /** An example that is typed by hand. */
  mark(line: string): void {
    expect(this.all).toContain(line)
    this.#run.add(line)
  }

  async one(line: string, { as = 'me', ends = 0, screen, with: more = {} }: How = {}): Promise<string> {
    this.mark(line)
    const always = { 'http://localhost:8787': urls.core, 'https://core.example': urls.core, [DID]: this.idOf('friend') }
    // Its own first: they may contain one of the others.
    const here = { ...more, ...always, ...more }
    const typed = Object.entries(here).reduce((text, [from, to]) => text.replaceAll(from, to), line)
    const asked = PASSWORD_COMMANDS.test(line) ? `${typed} --password-fd 8 8<password.txt` : typed
    const { code, output } = await this.shells.type(as, screen === undefined ? asked : `${asked} 2>${screen}`)
    expect(code, `${typed}\n${output}`).toBe(ends)
    return output
  }

  /** Several that need nothing but themselves. */
  async several(...lines: string[]): Promise<void> {
    for (const line of lines) await this.one(line)
  }

  /** An example that ends with 4 until something has happened. It may use up the requests of a minute by asking. */
  async until(line: string, how: How = {}): Promise<void> {
    const deadline = Date.now() + 240_000
    for (;;) {
      try {
        await this.one(line, how)
        return
      } catch (error) {
        if (Date.now() > deadline) throw error
        await sleep(String(error).includes('rate_limited') ? nextMinute() : 1000)
      }
    }
  }

  /** Once more in the next minute, if the address has used up its requests of this one. */
  async paced(line: string, how: How = {}): Promise<string> {
    return this.one(line, how).catch(async (error: unknown) => {
      if (!String(error).includes('rate_limited')) throw error
      await sleep(nextMinute())
      return this.one(line, how)
    })
  }
}

/** Until the limits of the next minute apply. */
function nextMinute(): number {
  return 61_000 - (Date.now() % 60_000)
}
