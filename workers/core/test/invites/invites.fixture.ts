import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import type { Invite, InvitePage } from '@svc/protocol/operator/invites'
import { REALM } from '@svc/testing'
import { vi } from 'vitest'
import { personIn } from '../../src/invites/person.ts'
import { InviteSecrets } from '../../src/invites/secrets.ts'
import { finishInvites } from '../../src/invites/services.ts'
import { freshAddress as anyAddress, CORE, send, sendWith } from '../harness.ts'

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

/** What is stored of an address, decrypted. */
export async function storedFor(email: string): Promise<Record<string, unknown>[]> {
  const secrets = new InviteSecrets({ current: env.INVITE_SEED })
  const [hash] = await secrets.addressHashes(email)
  const statement = env.DB.prepare('SELECT id, sealed FROM invite_requests WHERE address_hash = ?').bind(hash)
  const { results } = await statement.all<{ id: string; sealed: string }>()
  const opened = await Promise.all(results.map((row) => personIn(secrets, row)))
  return opened.map((person) => ({ ...person }))
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

const OPERATOR_SEED = new Uint8Array(32).fill(7)

type Answer = { readonly status: number; readonly body: Record<string, unknown> }

async function post(path: string, body: unknown, fetch: Send): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'cf-connecting-ip': anyAddress() }
  const response = await fetch(new Request(CORE + path, { method: 'POST', headers, body: JSON.stringify(body) }))
  return { status: response.status, body: await response.json() }
}

/** A page of requests, as the operator reads it. */
export async function inviteRead(position: number, seed = OPERATOR_SEED, fetch: Send = send): Promise<Answer> {
  const statement = {
    type: 'svc/operator-invites/v1' as const,
    realm: REALM,
    service: 'core',
    after: position,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  return post('/api/operator/invites', signed, fetch)
}

export async function listed(fetch: Send = send): Promise<Invite[]> {
  const found: Invite[] = []
  for (let next: number | null = 0; next !== null; ) {
    const { body } = await inviteRead(next, OPERATOR_SEED, fetch)
    const page = body['data'] as InvitePage
    found.push(...page.invites)
    next = page.next
  }
  return found
}

/** The request with an id, as the operator reads it. */
export async function listedAs(id: string, fetch: Send = send): Promise<Invite | undefined> {
  return (await listed(fetch)).find((invite) => invite.id === id)
}

let people = 0

/** A request of somebody new, and its id. */
export async function requested(fetch: Send = send): Promise<{ id: string; email: string }> {
  people += 1
  const email = `person${people}@example.org`
  const page = await submit({ ...GOOD, email }, { fetch })
  if (page.status !== 200) throw new Error(`the request was answered with ${page.status}`)
  const [hash] = await new InviteSecrets({ current: env.INVITE_SEED }).addressHashes(email)
  const statement = env.DB.prepare('SELECT id FROM invite_requests WHERE address_hash = ?').bind(hash)
  return { id: (await statement.first<string>('id')) ?? 'none', email }
}

type Deed = 'approve' | 'decline' | 'forget'
const TERMS = {
  approve: { tier: 'provenance', days: 90 },
  decline: { mail: false },
  forget: {},
} as const satisfies Record<Deed, object>

/** A signed act about a request. */
export function inviteAct(deed: Deed, inviteId: string, terms: object = {}) {
  const about = { type: `svc/operator-invite-${deed}/v1` as const, realm: REALM, service: 'core', inviteId }
  const statement = { ...about, ...TERMS[deed], ...terms, nonce: crypto.randomUUID(), issuedAt: Date.now() }
  return signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
}

export const sendAct = (signed: unknown, fetch: Send = send) => post('/api/operator/acts', signed, fetch)

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

type Deliver = (keep: () => void) => void | Promise<void>

/** A mail binding that keeps its messages, and what the operator does over it. */
export class Office {
  readonly kept: Mail[] = []
  /** What the mail server does; by default it keeps the mail. */
  deliver: Deliver = (keep) => keep()

  get mail(): object {
    return {
      send: async (mail: Mail) => {
        await this.deliver(() => this.kept.push(mail))
        return { messageId: `<${this.kept.length}@mail.test>` }
      },
    }
  }

  /** The Worker with this mail, and with other bindings replaced. */
  over(replaced: object = {}): Send {
    return sendWith({ MAIL: this.mail, ...replaced })
  }

  async act(deed: Deed, id: string, terms: object = {}, replaced: object = {}): Promise<Answer> {
    return sendAct(await inviteAct(deed, id, terms), this.over(replaced))
  }

  /** The hourly sweep. */
  async sweep(now: number, replaced: object = {}): Promise<void> {
    await finishInvites({ ...env, MAIL: this.mail, ...replaced } as Env, now)
  }

  /** The codes that were mailed to an address, each once. */
  codesTo(email: string): string[] {
    const mails = this.kept.filter(({ to }) => to === email)
    return [...new Set(mails.flatMap(({ text }) => /code is ([0-9A-Z-]{19})\n/.exec(text)?.[1] ?? []))]
  }
}

/** How many codes pay has. */
export async function codesAtPay(): Promise<number> {
  return (await env.CONTROL_DB.prepare('SELECT count(*) AS n FROM entitlement_codes').first<number>('n')) ?? 0
}
