import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Invite } from '@svc/protocol/operator/reads'
import { type FormChallenge, TESTING_TOKEN } from '@svc/service'
import * as z from 'zod'
import { type FieldErrors, formPage, type InviteForm, type PageFacts, receivedPage } from './page.ts'
import type { Answered, Question, Questions } from './question.ts'

const text = (max: number, missing: string) =>
  z
    .string()
    .trim()
    .min(1, missing)
    .max(max, `At most ${max} characters`)
    .refine((value) => value.isWellFormed(), 'Some characters cannot be read')
const formSchema = z.object({
  email: text(254, 'Enter your e-mail address').pipe(z.email('Enter an address like name@example.org')),
  name: text(200, 'Enter your name'),
  reason: text(2000, 'Say what you would like to do'),
})

const CHALLENGE_ERRORS: Readonly<Record<Exclude<Answered, 'right'>, string>> = {
  wrong: 'Please try again: we could not tell that a person sent this',
  too_soon: 'This came as quickly as from a bot: wait three seconds, then send it again',
  too_many: 'There were too many answers from your network today: try again tomorrow, or turn on scripts',
  none_left: 'No more requests without scripts are taken today: turn on scripts, or try again tomorrow',
}

export interface InviteAnswer {
  readonly status: 200 | 400
  readonly html: string
}

/** Long enough to review requests; then the personal data in them is deleted. */
const KEPT_MS = 90 * 24 * 3_600_000

/** Deletes requests for an invitation that are older than 90 days. */
export async function sweepInvites(db: D1Database, now: number): Promise<void> {
  const old = db.prepare('DELETE FROM invite_requests WHERE requested_at <= ?').bind(now - KEPT_MS)
  await reaching('invites', () => old.run())
}

const PAGE = 100

interface Row {
  position: number
  email: string
  name: string
  reason: string
  requested_at: number
}

/** Requests after a position, oldest first; a position says nothing about a person. */
export async function listInvites(
  db: D1Database,
  after: number,
): Promise<{ readonly invites: Invite[]; readonly next: number | null }> {
  const select = db
    .prepare(
      'SELECT position, email, name, reason, requested_at FROM invite_requests WHERE position > ? ORDER BY position LIMIT ?',
    )
    .bind(after, PAGE + 1)
  const { results } = await reaching('invites', () => select.all<Row>())
  const mine = results.slice(0, PAGE)
  return {
    invites: mine.map(({ email, name, reason, requested_at: requestedAt }) => ({ email, name, reason, requestedAt })),
    next: results.length > PAGE ? (mine.at(-1)?.position ?? null) : null,
  }
}

/** Requests for an invitation, from a page that anyone can open. */
export class InviteService {
  readonly #db: D1Database
  readonly #challenge: FormChallenge<'invite'>
  readonly #siteKey: string
  readonly #questions: Questions

  constructor(
    db: D1Database,
    { challenge, siteKey }: { readonly challenge: FormChallenge<'invite'>; readonly siteKey: string },
    questions: Questions,
  ) {
    this.#db = db
    this.#challenge = challenge
    this.#siteKey = siteKey
    this.#questions = questions
  }

  async page(now: number): Promise<string> {
    return formPage(this.#facts(await this.#questions.ask(now)), { email: '', name: '', reason: '' }, {})
  }

  /** Repeating an address changes nothing and gets the same answer, so that nobody learns who has asked. */
  async take(fields: URLSearchParams, address: string, now: number): Promise<InviteAnswer> {
    // Browsers send a line break as two characters and count it as one.
    const field = (name: keyof InviteForm) => (fields.get(name) ?? '').replaceAll('\r\n', '\n')
    const form: InviteForm = { email: field('email'), name: field('name'), reason: field('reason') }
    const parsed = formSchema.safeParse(form)
    const again = (question: Question | null, errors: FieldErrors): InviteAnswer => ({
      status: 400,
      html: formPage(this.#facts(question), form, errors),
    })
    const unspent = () => this.#questions.again(fields.get('ticket') ?? '', fields.get('answer') ?? '', now)
    if (!parsed.success) return again(await unspent(), errorsOf(parsed.error))
    const answered = await this.#challenged(fields, address, now)
    if (answered !== 'right') {
      const question = await (answered === 'too_soon' ? unspent() : this.#questions.ask(now))
      return again(question, { challenge: CHALLENGE_ERRORS[answered] })
    }
    const { email, name, reason } = parsed.data
    const statement = this.#db
      .prepare(
        `INSERT INTO invite_requests (email, name, reason, requested_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      )
      .bind(email.toLowerCase(), name, reason, now)
    await reaching('invites', () => statement.run())
    return { status: 200, html: receivedPage() }
  }

  /** A browser that sends a ticket runs no scripts and was shown the question. */
  async #challenged(fields: URLSearchParams, address: string, now: number): Promise<Answered> {
    const ticket = fields.get('ticket')
    if (ticket !== null) return this.#questions.answer(ticket, fields.get('answer') ?? '', address, now)
    const token = fields.get('cf-turnstile-response') ?? ''
    return (await this.#challenge.passes(token, 'invite', address, now)) ? 'right' : 'wrong'
  }

  #facts(question: Question | null): PageFacts {
    const dummyToken = this.#challenge.isEmbedded ? TESTING_TOKEN : null
    return { siteKey: this.#siteKey, dummyToken, question }
  }
}

/** The first fault of each field, in the order of the form. */
function errorsOf(error: z.ZodError): FieldErrors {
  const first = new Map<string, string>()
  for (const { path, message } of error.issues) {
    const field = String(path[0])
    if (!first.has(field)) first.set(field, message)
  }
  return Object.fromEntries(first)
}
