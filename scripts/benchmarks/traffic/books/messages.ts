import type { Client, OpenContact } from '@svc/client'
import type { LocalMail } from '@svc/platform/local/mail'
import { hashTextHex } from '@svc/protocol/base/hash'
import {
  CONTACT_CODE_LIFETIME_MS,
  type ContactEnvelope,
  contactDeliveredSchema,
  type InboxMessage,
} from '@svc/protocol/inbox/inbox'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, saying } from './book.ts'

/** The daily limit of contact requests per owner. */
const MAX_ASKED = 30
/** A code whose time is about to end is not tried: a drill can wait longer than codes last. */
const CODE_MARGIN_MS = 60_000
const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'
const MEDIA = { mime: 'image/png', bytes: 1234, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }

interface MessageClaim {
  readonly contact: OpenContact
  readonly code: string
  readonly envelope: ContactEnvelope
  readonly text: string
  readonly askedAt: number
}

interface MessagePlaces {
  readonly core: string
  readonly mail: LocalMail
  readonly did: string
}

/** Messages from strangers to one inbox. Each has an earlier contact request, with a code sent by mail. */
export class MessageBook extends Book<MessageClaim> {
  readonly #sealer: Sealer
  readonly #strangers: Client
  readonly #core: string
  readonly #mail: LocalMail
  readonly #metadataHash: string
  #assetId = ''
  #ready: MessageClaim[] = []
  #lastCode = ''
  #asked = 0
  readonly #redelivered = new Set<MessageClaim>()

  /** The owner has registered an encryption key; `strangers` is a client without an identity. */
  constructor(owner: Sealer, strangers: Client, { core, mail, did }: MessagePlaces) {
    super()
    this.#sealer = owner
    this.#strangers = strangers
    this.#core = core
    this.#mail = mail
    this.#metadataHash = hashTextHex(`messages to ${did}`)
  }

  async open(): Promise<void> {
    const { asset } = await this.#sealer.client.assets.mint({ media: MEDIA, metadataHash: this.#metadataHash })
    this.#assetId = asset.assetId
  }

  /** Requests a number of codes, within the owner's limit. */
  async ask(count: number): Promise<void> {
    for (let i = 0; i < count && this.#asked < MAX_ASKED; i++) {
      this.#asked += 1
      const text = crypto.randomUUID()
      const request = { assetId: this.#assetId, fromEmail: `grace.${text}@example.org`, challengeToken: DUMMY_TOKEN }
      const askedAt = Date.now()
      const contact = await this.#strangers.contact.request(request)
      const code = await this.#mail.codeIn(this.#assetId, this.#lastCode)
      this.#lastCode = code
      const draft = { name: 'Grace', email: 'grace@example.org', subject: 'Your picture', message: text }
      const envelope = await this.#strangers.contact.seal(contact, draft)
      this.#ready.push({ contact, code, text, envelope, askedAt })
    }
  }

  next(): Promise<Planned | null> {
    const claim = this.#ready.shift()
    if (!claim) return Promise.resolve(null)
    const { contact, code, envelope } = claim
    const body = new TextEncoder().encode(JSON.stringify({ requestId: contact.requestId, code, envelope }))
    const url = `${this.#core}/api/inbox/verify-otp`
    return Promise.resolve(this.planned({ method: 'POST', url, body }, 200, claim))
  }

  override resume(): Promise<void> {
    this.#ready = []
    return Promise.resolve()
  }

  /** Each message exists once and opens. Delivering it again returns the same delivery; unanswered ones are delivered now. */
  async faults(): Promise<string[]> {
    const found = await this.#faultsOf(new Map(await this.#messages()))
    const isUsable = ({ askedAt }: MessageClaim) => Date.now() < askedAt + CONTACT_CODE_LIFETIME_MS - CODE_MARGIN_MS
    for (const claim of this.#claims.filter((one) => isUsable(one) && !this.#redelivered.has(one))) {
      found.push(...(await this.#deliverAgain(claim)))
    }
    const after = await this.#messages()
    const wanted = this.#claims.length
    if (after.length !== wanted) found.push(`inbox: ${after.length} messages of ${wanted} deliveries`)
    return found
  }

  get #claims(): readonly MessageClaim[] {
    return [...this.heard.map(({ claim }) => claim), ...this.unheard]
  }

  async #faultsOf(messages: ReadonlyMap<string, InboxMessage>): Promise<string[]> {
    const found: string[] = []
    for (const claim of this.#claims) {
      const message = messages.get(claim.contact.requestId)
      if (message) {
        const { message: text } = await this.#sealer.client.inbox.open(message)
        if (this.unheard.includes(claim) && !this.#redelivered.has(claim)) this.wasTaken(claim)
        if (text !== claim.text) found.push(`inbox: message ${message.msgId} has changed`)
      } else if (this.#redelivered.has(claim) || !this.unheard.includes(claim)) {
        found.push(`inbox: message of ${claim.contact.requestId} was acknowledged and is missing`)
      }
    }
    return found
  }

  /** Once per code, because a code is valid for ten minutes. */
  async #deliverAgain(claim: MessageClaim): Promise<string[]> {
    this.#redelivered.add(claim)
    const heard = this.heard.find((one) => one.claim === claim)
    const { contact, code, envelope } = claim
    try {
      const { deliveredAt: again } = await this.#strangers.contact.verify(contact, code, envelope)
      const first = heard ? dataOf(heard.answer, contactDeliveredSchema).deliveredAt : again
      return first === again ? [] : [`inbox: delivered at ${first}, and again at ${again}`]
    } catch (error) {
      return [saying(`inbox: message of ${contact.requestId} delivered again`, error)]
    }
  }

  async #messages(): Promise<[string, InboxMessage][]> {
    const { messages } = await this.#sealer.client.inbox.export()
    return messages.map((message) => [message.requestId, message])
  }
}
