import { toHex } from '@svc/protocol/base/hash'
import { type FormChallenge, TESTING_TOKEN } from '@svc/service'
import * as z from 'zod'
import { type FieldErrors, formPage, type InviteForm, type PageFacts, receivedPage } from './page.ts'
import { sealPerson } from './person.ts'
import type { Answered, Question, Questions } from './question.ts'
import type { InviteSecrets } from './secrets.ts'
import type { InviteStore } from './store.ts'

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

const ID_BYTES = 8

export interface InviteAnswer {
  readonly status: 200 | 400
  readonly html: string
}

/** Requests for an invitation, from a page that anyone can open. */
export class InviteService {
  readonly #store: InviteStore
  readonly #secrets: InviteSecrets
  readonly #challenge: FormChallenge<'invite'>
  readonly #siteKey: string
  readonly #questions: Questions

  constructor(
    { store, secrets }: { readonly store: InviteStore; readonly secrets: InviteSecrets },
    { challenge, siteKey }: { readonly challenge: FormChallenge<'invite'>; readonly siteKey: string },
    questions: Questions,
  ) {
    this.#store = store
    this.#secrets = secrets
    this.#challenge = challenge
    this.#siteKey = siteKey
    this.#questions = questions
  }

  async page(now: number): Promise<string> {
    return formPage(this.#facts(await this.#questions.ask(now)), { email: '', name: '', reason: '' }, {})
  }

  /** Repeating a mailbox changes nothing and gets the same answer, so that nobody learns who has asked. */
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
    const id = toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
    const person = { email: email.toLowerCase(), name, reason }
    const [sealed, addressHashes] = await Promise.all([
      sealPerson(this.#secrets, id, person),
      this.#secrets.addressHashes(person.email),
    ])
    await this.#store.add({ id, sealed, addressHashes }, now)
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
