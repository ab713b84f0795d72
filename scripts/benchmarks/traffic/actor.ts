import { MAX_LIFETIME_MS } from '@svc/assertion'
import { Client, type ClientOptions, Device, type Identity } from '@svc/client'
import { makeKeyPackage } from '@svc/client/functions'
import { newCode, sendOperatorAct } from '@svc/operations/operator-act'
import { Person } from '@svc/platform/callers/person'
import { freshAddress } from '@svc/platform/callers/send'
import type { DevSecrets } from '@svc/platform/dev-secrets'
import type { LocalMail } from '@svc/platform/local/mail'
import type { WorkerName } from '@svc/platform/workspace'
import type { DevicePackage } from '@svc/protocol/keys/directory'
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

/** The platform that the actors use. */
export interface Stage {
  readonly urls: Readonly<Record<WorkerName, string>>
  readonly secrets: DevSecrets
  readonly mail: LocalMail
}

const LOCAL_ORIGIN = 'http://localhost:3000'
/** More than an actor uses in a month. */
const TIER = 'atelier'

/** An identity with everything that the mix needs, and a book for each kind of write. */
export class Actor {
  readonly stage: Stage
  readonly person: Person
  readonly sealer: Sealer
  /** Belongs to no one. */
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

  /** `others` are the actors whose prekeys it reserves, including itself. */
  static async create(stage: Stage, others: () => readonly Actor[]): Promise<Actor> {
    const person = await Person.create(stage.urls.core)
    const { identity } = person
    // Signed long before they are sent and replayed long after, so these assertions have the maximum lifetime.
    const assertion = identity.assertion.bind(identity)
    identity.assertion = (request) => assertion({ ...request, lifetimeMs: MAX_LIFETIME_MS })
    const options = await optionsOf(stage)
    const sealer = new Sealer({ ...options, identity })
    const strangers = new Sealer(options)
    const { client } = sealer
    await client.did.register()
    const keys = await Device.create({ origin: 'app:traffic', capabilities: ['prekeys:write'] })
    const attestation = await client.devices.attest(
      await keys.acceptance(identity.did, { realm: client.realm, now: Date.now() }),
    )
    const device = await keys.attested(attestation, await client.keyHistory.of(identity.did), client.realms)
    const keyPackage = await makeKeyPackage(device, { realm: client.realm, now: Date.now() })
    const { package: published } = await client.keyDirectory.publish(keyPackage, { version: 1 })
    await license(stage, client)
    const actor = new Actor(stage, person, { sealer, strangers, device, published }, others)
    await actor.pool.fill()
    await actor.books.messages.open()
    // Reads ask for its proof, and a leaf is in the log within a second or so.
    await client.transparency.waitFor(published, 20)
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

  /** Checks everything that this actor has written, and returns the faults. */
  async faults(): Promise<string[]> {
    const found: string[] = []
    for (const book of this.everyBook) {
      found.push(...(await book.faults().catch((error: unknown) => [saying(book.constructor.name, error)])))
    }
    return found
  }

  /** Prepares more writes, including `messages` to its inbox. */
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

/** What each core shows of its deployment is read once, for all actors. */
const connected = new Map<string, Promise<Client>>()

async function optionsOf({ urls }: Stage): Promise<Omit<ClientOptions, 'fetch'>> {
  const { auth: _, ...services } = urls
  const { core } = services
  const client = connected.get(core) ?? Client.connect({ core })
  connected.set(core, client)
  const { discovery } = await client
  return { ...services, origin: LOCAL_ORIGIN, ...(discovery && { discovery }) }
}

async function license({ urls, secrets }: Stage, client: Client): Promise<void> {
  const { code, act } = newCode(TIER, 30)
  const headers = { 'cf-connecting-ip': freshAddress() }
  const { status } = await sendOperatorAct({ service: urls.pay, realm: urls.core }, secrets.operatorSeed, act, headers)
  if (status !== 200) throw new Error(`the operator act was refused with ${status}`)
  await client.entitlement.redeem(code)
}
