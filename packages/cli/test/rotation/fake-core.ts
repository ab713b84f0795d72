/** Core for one identity that has committed to sheets of words, as far as `svc rotate` asks it. Verifies no signature. */
import { Client, type Commitment, type Fetch, Identity } from '@svc/client'
import { blockHash, inceptionHeadAfter, isSigned, rotationIdOf, userIdOfKey } from '@svc/client/functions'
import { commitmentOf, SuccessorSheet } from '@svc/client/recovery-words'
import { DAY_MS, DISCOVERY, emptyLogList, NOW, REALM } from './deployment.ts'

type Record = NonNullable<Awaited<ReturnType<Client['keyHistory']['rotation']>>>
type Request = Awaited<ReturnType<Client['rotation']['makeRequest']>>
type Signed = Omit<Record['cosigned'][number], 'request'>
type Attestation = Awaited<ReturnType<Client['devices']['makeAttestation']>>
type Body = Signed & { request?: Request }

interface Genesis {
  readonly block: Awaited<ReturnType<Client['chain']['makeGenesis']>>
  readonly commitment: Commitment | null
}

export class FakeCore {
  readonly root: Identity
  readonly sheet: SuccessorSheet
  /** The newest rotation. */
  record: Record | null = null
  /** The inception log. */
  readonly events: Attestation[] = []
  /** Paths that cannot be reached. */
  readonly down = new Set<string>()
  /** Paths whose answers are lost. */
  readonly losing = new Set<string>()
  /** Paths that were sent to. */
  readonly posts: string[] = []
  readonly #commitment: Commitment
  readonly #genesis: Genesis
  readonly #logList = emptyLogList()

  private constructor(root: Identity, sheet: SuccessorSheet, commitment: Commitment, genesis: Genesis) {
    this.root = root
    this.sheet = sheet
    this.#commitment = commitment
    this.#genesis = genesis
  }

  /** The commitment of the identity: `none`, or to one sheet and these others. */
  static async create(
    kind: 'replaceable' | 'fixed' | 'none' = 'replaceable',
    others: readonly SuccessorSheet[] = [],
  ): Promise<FakeCore> {
    const [root, sheet] = [await Identity.create(), SuccessorSheet.create()]
    const key = { scope: root.scope, epoch: 1 }
    const sheets = kind === 'none' ? [] : [sheet, ...others]
    const commitment = await commitmentOf(sheets, key, { replaceable: kind === 'replaceable' })
    const { chain } = new Client({ core: REALM, did: 'https://did.example', identity: root, now: () => NOW })
    const isNone = kind === 'none'
    const genesis = {
      block: await chain.makeGenesis(isNone ? undefined : commitment),
      commitment: isNone ? null : commitment,
    }
    return new FakeCore(root, sheet, commitment, genesis)
  }

  readonly fetch: Fetch = async (url, init) => {
    const request = new Request(url, init)
    const { pathname, searchParams } = new URL(request.url)
    const body = request.method === 'POST' ? ((await request.json()) as Body) : null
    if (this.down.has(pathname)) throw new TypeError('fetch failed')
    if (body) this.posts.push(pathname)
    const data = this.#answer(pathname, body, Number(searchParams.get('from')))
    if (this.losing.has(pathname)) throw new TypeError('fetch failed')
    const isPlain = pathname === '/.well-known/svc' || pathname === '/api/rotation/request'
    if (data !== null) return Response.json(isPlain ? data : { success: true, data, timestamp: NOW })
    const refused = { success: false, error: 'not_found', message: pathname, timestamp: NOW }
    return Response.json(refused, { status: 404 })
  }

  /** What the next event of the inception log follows. */
  get inceptionHead(): { readonly sequence: number; readonly hash: string } {
    const last = this.events.at(-1)
    return last ? inceptionHeadAfter(last) : { sequence: 0, hash: this.#genesisHash }
  }

  /** Makes a request pending. */
  open(request: Request, changes: Partial<Record> = {}): void {
    const { statement } = request
    this.record = {
      rotationId: rotationIdOf(statement),
      kind: 'rotation',
      status: 'pending',
      basis: 'full',
      version: statement.version,
      epoch: statement.epoch,
      newUserId: userIdOfKey(statement.newPublicKeyB64u),
      requestedAt: NOW,
      deadline: NOW + DAY_MS,
      contestedAt: null,
      requiredCosigners: 0,
      cosignatures: 0,
      freezes: 0,
      cancels: 0,
      approvedAt: null,
      activatedAt: null,
      request,
      cosigned: [],
      vetoes: [],
      approval: null,
      ...changes,
    }
  }

  #answer(pathname: string, body: Body | null, from: number): object | null {
    const { did } = this.root
    switch (pathname) {
      case '/.well-known/svc':
        return DISCOVERY
      case '/api/transparency/logs':
        return { list: this.#logList, earlier: [] }
      case `/api/chain/root/${did}`:
        return this.#root()
      case `/api/chain/root/${did}/history`:
        return { did, scope: this.root.scope, keys: this.#keys().slice(from), next: null, rotation: this.record }
      case '/api/chain/rotation/current':
        return { active: null, latest: this.record }
      case `/api/genesis/${did}`:
        return this.#genesisRecord()
      case '/api/inception/events':
        return { events: this.events.slice(Math.max(from, 1) - 1), next: null, head: this.inceptionHead }
      case '/api/inception/head':
        return { did, scope: this.root.scope, ...this.inceptionHead, rootEpoch: this.#keys().length - 1 }
      case '/api/inception/device':
        return this.#attested(body as unknown as Attestation)
      case '/api/rotation/request':
        return this.#opened(body)
      case '/api/chain/rotation/cosign':
        return body && this.#cosigned(body)
      case '/api/chain/rotation/freeze':
        return body && this.#change({ status: 'frozen', freezes: 1, vetoes: [body] as never })
      case '/api/chain/rotation/v2/activate':
        return this.#change({ status: 'active', activatedAt: NOW })
      default:
        return null
    }
  }

  #opened(body: object | null): object | null {
    if (body) this.open(body as Request)
    return this.record
  }

  /** Refuses an event that another one has come before, like one that was sent twice. */
  #attested(event: Attestation): object | null {
    if (event.statement.previousHash !== this.inceptionHead.hash) return null
    this.events.push(event)
    return { ...this.inceptionHead, acceptedAt: NOW }
  }

  get #genesisHash(): string {
    const { block } = this.#genesis
    return isSigned(block) ? blockHash(block) : ''
  }

  #genesisRecord(): object {
    const { did, scope, userId } = this.root
    return { did, scope, userId, ...this.#genesis, hash: this.#genesisHash, createdAt: NOW }
  }

  #cosigned({ request, ...cosigned }: Body): object | null {
    if (!request) return null
    this.open(request, {
      basis: 'replacement',
      deadline: NOW + 30 * DAY_MS,
      cosignatures: 1,
      cosigned: [cosigned],
    })
    return this.record
  }

  #change(changes: Partial<Record>): object | null {
    if (this.record) this.record = { ...this.record, ...changes }
    return this.record
  }

  #root(): object {
    const { did, scope } = this.root
    const { epoch, userId, publicKeyB64u } = this.#keys().at(-1) ?? this.root
    const { request, cosigned: _, vetoes: __, approval: ___, ...summary } = this.record ?? {}
    const rotation = request ? summary : null
    const named = { did, scope, userId, publicKeyB64u, epoch, commitment: this.#commitment }
    return { ...named, disputed: false, deactivated: false, rotation }
  }

  #keys() {
    const { userId, publicKeyB64u } = this.root
    const genesis = this.record ? this.#genesis : null
    const first = { epoch: 0, userId, publicKeyB64u, activatedAt: NOW, request: null as object | null, genesis }
    if (this.record?.status !== 'active') return [first]
    const { request, epoch, newUserId, basis, requestedAt, cosigned } = this.record
    const publicKey = 'newPublicKeyB64u' in request.statement ? request.statement.newPublicKeyB64u : ''
    const replacement = { requestedAt, cosigned: cosigned[0], events: this.events }
    const last = { epoch, userId: newUserId ?? '', publicKeyB64u: publicKey, activatedAt: NOW, request, genesis: null }
    return [first, basis === 'replacement' ? { ...last, replacement } : last]
  }
}
