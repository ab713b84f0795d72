import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import type { Invite, InvitePage } from '@svc/protocol/operator/reads'
import { REALM } from '@svc/testing'
import { vi } from 'vitest'
import { anonymous, CORE, send } from '../harness.ts'

export const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'
export const GOOD = {
  email: 'ada@example.org',
  name: 'Ada Lovelace',
  reason: 'Keep notes on an engine.',
  'cf-turnstile-response': DUMMY_TOKEN,
}

type Fields = Readonly<Record<string, string | undefined>>
type Send = (request: Request) => Promise<Response>

let senders = 0

/** An address in a network that no other sender of this run has. */
export function freshAddress(): string {
  senders += 1
  return `2001:db8:${senders.toString(16)}:1::1`
}

export interface Page {
  readonly status: number
  readonly html: string
  readonly headers: Headers
}

const pageOf = async (response: Response): Promise<Page> => ({
  status: response.status,
  html: await response.text(),
  headers: response.headers,
})

export const openPage = async (fetch: Send = send): Promise<Page> =>
  pageOf(await fetch(new Request(`${CORE}/invite-request`)))

/** Sends the form as a browser does; an undefined field is omitted. */
export async function submit(
  fields: Fields,
  { headers = {}, fetch = send }: { headers?: Record<string, string>; fetch?: Send } = {},
): Promise<Page> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  const request = new Request(`${CORE}/invite-request`, {
    method: 'POST',
    headers: { 'cf-connecting-ip': freshAddress(), ...headers },
    body: form,
  })
  return pageOf(await fetch(request))
}

/** The contents of the page, as in its HTML. */
export const errorsIn = ({ html }: Page): [string, string][] =>
  [...html.matchAll(/<li><a href="#([a-z]+)">([^<]*)<\/a><\/li>/g)].map(([, field = '', text = '']) => [field, text])
export const headingIn = ({ html }: Page): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]

export async function storedFor(email: string): Promise<Record<string, unknown>[]> {
  const statement = env.DB.prepare('SELECT email, name, reason FROM invite_requests WHERE lower(email) = lower(?)')
  return (await statement.bind(email).all()).results
}

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const THREE_SECONDS = 3_000

export interface Asked {
  readonly ticket: string
  readonly sum: number
}

/** The question that the page has for browsers without scripts. */
export function questionIn({ html }: Page): Asked {
  const [, noscript = ''] = /<noscript>([\s\S]*?)<\/noscript>/.exec(html) ?? []
  const [, ticket = ''] = /name="ticket" value="([^"]*)"/.exec(noscript) ?? []
  const [, a = '', b = ''] = /What is (\w+) plus (\w+)\?/.exec(noscript) ?? []
  return { ticket, sum: WORDS.indexOf(a) + WORDS.indexOf(b) + 2 }
}

/** Moves the clock on, from now or from where it was moved to. */
export function after(milliseconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now + milliseconds)
}

/** Questions of as many pages, old enough to be answered. */
export async function asked(count: number, fetch: Send = send): Promise<Asked[]> {
  const pages = await Promise.all(Array.from({ length: count }, () => openPage(fetch)))
  after(THREE_SECONDS)
  return pages.map(questionIn)
}

/** The form of a browser without scripts. */
export const answering = ({ ticket, sum }: Asked, answer: string | number = sum) => ({
  ...GOOD,
  'cf-turnstile-response': undefined,
  email: `question-${crypto.randomUUID()}@example.org`,
  ticket,
  answer: String(answer),
})

/** A page of requests, as the operator reads it. */
export async function inviteRead(position: number, seed = new Uint8Array(32).fill(7)) {
  const statement = {
    type: 'svc/operator-invites/v1' as const,
    realm: REALM,
    service: 'core',
    after: position,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  return anonymous('POST', '/api/operator/invites', signed)
}

export async function listed(): Promise<Invite[]> {
  const found: Invite[] = []
  for (let next: number | null = 0; next !== null; ) {
    const { body } = await inviteRead(next)
    const page = body['data'] as InvitePage
    found.push(...page.invites)
    next = page.next
  }
  return found
}
