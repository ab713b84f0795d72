/** Shared by the tests of the inbox: owners with a key and an asset, senders, and the mail sent in a run. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Client, type ContactDraft, type Identity, type OpenContact } from '@svc/client'
import type { ContactEnvelope } from '@svc/protocol/inbox/inbox'
import type { TestCaller } from '@svc/testing'
import { fetchOf, REALM, REALMS } from '@svc/testing'
import { IdentityService } from '../../src/identity/service.ts'
import { minted } from '../assets/assets.fixture.ts'
import { CORE, freshCaller, send, sendWith } from '../harness.ts'

export const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'
export const DRAFT = { name: 'Ada', email: 'ada@example.org', subject: 'Your picture', message: 'May I print it?' }

type Send = (request: Request) => Promise<Response>

const anyone = new Client({ core: CORE, did: 'https://did.test', fetch: fetchOf(send) })

export const sealed = (contact: OpenContact, draft: ContactDraft) => anyone.contact.seal(contact, draft)

export interface Mail {
  readonly from: { readonly email: string; readonly name: string }
  readonly to: string
  readonly subject: string
  readonly text: string
}
export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

/** A mail binding that records its messages; `fails` makes it reject them. */
export class Mailbox {
  readonly kept: Mail[] = []
  fails = false
  readonly fetch: Send

  constructor(replaced: Parameters<typeof sendWith>[0] = {}) {
    this.fetch = sendWith({
      MAIL: {
        send: async (mail: Mail) => {
          if (this.fails) throw new Error('the mail server is down')
          this.kept.push(mail)
          return { messageId: `<${this.kept.length}@mail.test>` }
        },
      },
      ...replaced,
    })
  }

  get code(): string {
    return /code is (\d{6})\n/.exec(this.kept.at(-1)?.text ?? '')?.[1] ?? 'no mail'
  }
}

export interface Owner {
  readonly caller: TestCaller
  readonly did: string
  readonly assetId: string
}

/** As the DID service does at registration: core stores the statement. */
export async function putKeyAgreement(identity: Identity, at = Date.now()): Promise<void> {
  const identities = new IdentityService(env.IDENTITIES, REALMS)
  const put = await identities.register(
    identity.did,
    { keyAgreement: await identity.keyAgreement({ realm: REALM, now: at }) },
    Date.now(),
  )
  if (!put.ok) throw new Error(`the key agreement was refused: ${put.error.reason}`)
}

/** An identity with a key agreement and an asset. */
export async function freshOwner(): Promise<Owner> {
  const caller = await freshCaller()
  await putKeyAgreement(caller.identity)
  return { caller, did: caller.identity.did, assetId: await minted(caller) }
}

let senders = 0
export function freshEmail(): string {
  senders += 1
  return `sender@domain${senders}.example`
}

export function freshAddress(): string {
  senders += 1
  return `2001:db8:2:${senders.toString(16)}::1`
}

/** One request without a credential, by default from an address of its own. */
export async function post(
  path: string,
  body: unknown,
  { fetch = send, address = freshAddress() }: { fetch?: Send; address?: string } = {},
): Promise<Answer> {
  const headers = { 'cf-connecting-ip': address, 'content-type': 'application/json' }
  const request = new Request(`${CORE}/api/inbox/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const response = await fetch(request)
  return { status: response.status, body: await response.json(), headers: response.headers }
}

export interface Asking {
  readonly fetch: Send
  readonly fromEmail?: string
  readonly address?: string
  readonly challengeToken?: string
}

export function ask(
  assetId: string,
  { fetch, fromEmail = freshEmail(), address, challengeToken = DUMMY_TOKEN }: Asking,
) {
  return post('contact-request', { assetId, fromEmail, challengeToken }, { fetch, ...(address ? { address } : {}) })
}

/** An open request, with its code and an envelope for it. */
export async function opened(owner: Owner, mailbox = new Mailbox(), draft = DRAFT) {
  const answer = await ask(owner.assetId, { fetch: mailbox.fetch })
  if (answer.status !== 200) throw new Error(`the request was answered with ${answer.status}`)
  const contact = {
    ...(answer.body['data'] as OpenContact),
    assetId: owner.assetId,
    owner: owner.did,
    ownerIs: 'pinned' as const,
  }
  return { contact, code: mailbox.code, envelope: await sealed(contact, draft), mailbox }
}

export const verify = (
  { requestId }: { readonly requestId: string },
  code: string,
  envelope: ContactEnvelope,
  fetch: Send = send,
) => post('verify-otp', { requestId, code, envelope }, { fetch })

/** Six digits that differ from the given ones. */
export const wrong = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0')

/** Every value of every table in the inbox of a DID; null if there are no tables. */
export function storedIn(did: string): Promise<Record<string, unknown[]> | null> {
  return runInDurableObject(env.INBOXES.getByName(did), (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
    if (tables.length === 0) return null
    return Object.fromEntries(tables.map(({ name }) => [name, storage.sql.exec(`SELECT * FROM ${name}`).toArray()]))
  })
}

export const refused = (status: number, error: string) => ({ status, body: { success: false, error } })
export const limited = { status: 429, body: { code: 'rate_limited', details: { error: 'rate_limited' } } }
