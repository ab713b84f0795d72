import { MAX_LIFETIME_MS, makeAssertion } from '@svc/assertion'
import { type Client, type ClientOptions, Device, type Identity, makeKeyPackage } from '@svc/client'
import type { DevicePackage } from '@svc/protocol/key-directory'
import type { DevSecrets } from '../lib/dev-secrets.ts'
import type { LocalMail } from '../lib/local-mail.ts'
import { newEntitlementCode, sendOperatorAct } from '../lib/operator-act.ts'
import type { WorkerName } from '../lib/workspace.ts'
import { freshAddress } from '../measure/load.ts'
import { Person } from '../measure/people.ts'
import { BlockBook } from './books/blocks.ts'
import { type Book, saying } from './books/book.ts'
import { MessageBook } from './books/messages.ts'
import { NoteBook } from './books/notes.ts'
import { PackageBook } from './books/packages.ts'
import { PreferenceBook } from './books/preferences.ts'
import { PrekeyBook, PrekeyPool } from './books/prekeys.ts'
import { RootBook } from './books/roots.ts'
import { TextBook } from './books/texts.ts'
import { UseBook } from './books/uses.ts'
import { Sealer } from './sealer.ts'

/** Where the actors play. */
export interface Stage {
  readonly urls: Readonly<Record<WorkerName, string>>
  readonly secrets: DevSecrets
  readonly mail: LocalMail
}

const LOCAL_ORIGIN = 'http://localhost:3000'
/** Higher than what anybody here writes in a month. */
const TIER = 'atelier'

/** An identity with everything that a request of the mix needs of it, and with a book for each kind of what it writes. */
export class Actor {
  readonly stage: Stage
  readonly person: Person
  readonly sealer: Sealer
  /** Of nobody's. */
  readonly strangers: Sealer
  readonly pool: PrekeyPool
  readonly published: DevicePackage
  readonly books: {
    readonly blocks: BlockBook
    readonly notes: NoteBook
    readonly messages: MessageBook
    readonly roots: RootBook
    readonly texts: TextBook
    readonly preferences: PreferenceBook
    readonly uses: UseBook
    readonly packages: PackageBook
    readonly prekeys: PrekeyBook
  }

  private constructor(
    stage: Stage,
    person: Person,
    { sealer, strangers, device, published }: Belongings,
    others: () => readonly Actor[],
  ) {
    const { did } = person.identity
    this.stage = stage
    this.person = person
    this.sealer = sealer
    this.strangers = strangers
    this.published = published
    this.pool = new PrekeyPool(sealer, device)
    this.books = {
      blocks: new BlockBook(person, sealer.client),
      notes: new NoteBook(sealer),
      messages: new MessageBook(sealer, strangers.client, { core: stage.urls.core, mail: stage.mail, did }),
      roots: new RootBook(sealer, did),
      texts: new TextBook(sealer, strangers.client),
      preferences: new PreferenceBook(sealer),
      uses: new UseBook(sealer),
      packages: new PackageBook(sealer, strangers.client, device, { did, version: published.version }),
      prekeys: new PrekeyBook(sealer, () => others().flatMap((one) => (one.did === did ? [] : [one.pool]))),
    }
  }

  /** `others` are those whose prekeys it reserves, itself among them. */
  static async create(stage: Stage, others: () => readonly Actor[]): Promise<Actor> {
    const person = await Person.create(stage.urls.core)
    const { identity } = person
    // Signed long before they are sent, and shown again long after: such assertions live as long as any may.
    identity.assertion = (request) => makeAssertion(identity, { ...request, lifetimeMs: MAX_LIFETIME_MS })
    const options = optionsOf(stage)
    const sealer = new Sealer({ ...options, identity })
    const strangers = new Sealer(options)
    const { client } = sealer
    await client.did.register()
    const keys = await Device.create({ origin: 'app:traffic', capabilities: ['prekeys:write'] })
    const attestation = await client.devices.attest(await keys.acceptance(identity.did, Date.now()))
    const device = await keys.attested(attestation, await client.keyHistory.of(identity.did))
    const keyPackage = await makeKeyPackage(device, Date.now())
    const { package: published } = await client.keyDirectory.publish(keyPackage, { version: 1 })
    await license(stage, client)
    const actor = new Actor(stage, person, { sealer, strangers, device, published }, others)
    await actor.pool.fill()
    await actor.books.messages.open()
    return actor
  }

  get did(): string {
    return this.person.identity.did
  }

  get identity(): Identity {
    return this.person.identity
  }

  get everyBook(): readonly Pick<Book<unknown>, 'acknowledged' | 'unanswered' | 'taken' | 'faults' | 'resume'>[] {
    return Object.values(this.books)
  }

  /** What does not hold of what this actor has written. */
  async faults(): Promise<string[]> {
    const found: string[] = []
    for (const book of this.everyBook) {
      found.push(...(await book.faults().catch((error: unknown) => [saying(book.constructor.name, error)])))
    }
    return found
  }

  /** Makes ready for more writes, `messages` of them to its inbox. */
  async resume(messages: number): Promise<void> {
    for (const book of this.everyBook) await book.resume()
    await this.pool.fill()
    await this.books.messages.ask(messages)
  }
}

interface Belongings {
  readonly sealer: Sealer
  readonly strangers: Sealer
  readonly device: Device
  readonly published: DevicePackage
}

export async function createActors(stage: Stage, count: number): Promise<Actor[]> {
  const actors: Actor[] = []
  while (actors.length < count) actors.push(await Actor.create(stage, () => actors))
  return actors
}

function optionsOf({ urls }: Stage): Omit<ClientOptions, 'fetch'> {
  return { ...urls, origin: LOCAL_ORIGIN }
}

async function license({ urls, secrets }: Stage, client: Client): Promise<void> {
  const { code, act } = newEntitlementCode(TIER, 30)
  const headers = { 'cf-connecting-ip': freshAddress() }
  const { status } = await sendOperatorAct(urls.pay, secrets.operatorSeed, act, headers)
  if (status !== 200) throw new Error(`the operator act is answered with ${status}`)
  await client.entitlement.redeem(code)
}
