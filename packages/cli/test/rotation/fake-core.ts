/** Core for one identity that has committed to sheets of words, as far as `svc rotate` asks it. Verifies no signature. */
import { Client, type Commitment, type Fetch, Identity } from '@svc/client'
import { blockHash, inceptionHeadAfter, isSigned, rotationIdOf, userIdOfKey } from '@svc/client/functions'
import { commitmentOf, SuccessorSheet } from '@svc/client/recovery-words'
import { DAY_MS, DISCOVERY, emptyLogList, NOW, REALM } from './deployment.ts'

type Record = NonNullable<Awaited<ReturnType<Client['keyHistory']['rotation']>>>
type Request = Awaited<ReturnType<Client['rotation']['makeRequest']>>
type Signed = Omit<Record['cosigned'][number], 'request'>
type Attestation = Awaited<ReturnType<Client['devices']['makeAttestation']>>
interface Created {
  readonly block: Extract<Parameters<typeof blockHash>[0], { readonly scope: string }>
}
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
  /** Ids of devices and root keys whose requests core refuses. */
  readonly refused = new Set<string>()
  /** How they are refused. */
  refusal: readonly [status: number, error: string] = [401, 'unauthorized']
  /** Ids of devices that cannot be attested again. */
  readonly revoked = new Set<string>()
  /** Paths that are not served. Their 404 ends a command as a failed connection does, without its repetitions. */
  readonly down = new Set<string>()
  /** Paths whose answers are lost: a 404 takes their place. */
  readonly losing = new Set<string>()
  /** Paths that were sent to. */
  readonly posts: string[] = []
  #active: Record | null = null
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
    if (this.#isRefused(request)) return refused(...this.refusal)
    if (this.down.has(pathname)) return refused(404, 'not_found')
    if (body) this.posts.push(pathname)
    const refusal = pathname === '/api/inception/device' ? this.#refusalOf(body as unknown as Attestation) : null
    if (refusal) return refused(409, refusal)
    // No device strengthens a request of the words alone.
    if (pathname.endsWith('/cosign') && body?.request?.signatureB64u === null) return refused(403, 'not_eligible')
    const data = await this.#answer(pathname, body, Number(searchParams.get('from')))
    if (this.losing.has(pathname)) return refused(404, 'not_found')
    const isPlain = pathname === '/.well-known/svc' || pathname === '/api/rotation/request'
    if (data !== null) return Response.json(isPlain ? data : { success: true, data, timestamp: NOW })
    return refused(404, 'not_found')
  }

  /** What the next event of the inception log follows. */
  get inceptionHead(): { readonly sequence: number; readonly hash: string } {
    const last = this.events.at(-1)
    return last ? inceptionHeadAfter(last) : { sequence: 0, hash: this.#genesisHash }
  }

  /** The rotation that introduced the current root key. */
  get active(): Record | null {
    return this.record?.status === 'active' ? this.record : this.#active
  }

  /** Makes a request pending. */
  open(request: Request, changes: Partial<Record> = {}): void {
    const { statement } = request
    this.#active = this.active
    this.record = {
      rotationId: rotationIdOf(statement),
      kind: 'rotation',
      status: 'pending',
      basis: request.signatureB64u === null ? 'successor' : 'full',
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

  #answer(pathname: string, body: Body | null, from: number): object | null | Promise<object | null> {
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
        return { active: this.active, latest: this.record }
      case `/api/genesis/${did}`:
        return this.#genesisRecord()
      case '/api/inception/events':
        return { events: this.events.slice(Math.max(from, 1) - 1), next: null, head: this.inceptionHead }
      case '/api/inception/head':
        return { did, scope: this.root.scope, ...this.inceptionHead, rootEpoch: this.#keys().length - 1 }
      case '/api/inception/device':
        return this.#attested(body as unknown as Attestation)
      case '/api/genesis/init':
        return genesisOf(body as unknown as Created)
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

  #isRefused(request: globalThis.Request): boolean {
    const [, claims = ''] = /^ServiceAssertion ([^.]+)\./.exec(request.headers.get('authorization') ?? '') ?? []
    const text = Buffer.from(claims, 'base64url').toString()
    return [...this.refused].some((id) => text.includes(id))
  }

  #refusalOf(event: Attestation): string | null {
    const { deviceId, rootEpoch, previousHash } = event.statement
    if (this.#isNewest(event)) return null
    if (previousHash !== this.inceptionHead.hash) return 'stale_inception_head'
    if (this.revoked.has(deviceId)) return 'device_revoked'
    const isThere = this.events.some(
      ({ statement }) => statement.deviceId === deviceId && statement.rootEpoch === rootEpoch,
    )
    return isThere ? 'device_exists' : null
  }

  /** Whether it was sent before, and its answer was lost. */
  #isNewest(event: Attestation): boolean {
    return inceptionHeadAfter(event).hash === this.inceptionHead.hash
  }

  #attested(event: Attestation): object {
    if (!this.#isNewest(event)) this.events.push(event)
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

  async #cosigned({ request, ...cosigned }: Body): Promise<object | null> {
    if (!request) return null
    const { scope, epoch, newPublicKeyB64u: publicKeyB64u } = request.statement
    const { next } = await commitmentOf([{ successor: async () => ({ publicKeyB64u }) }], { scope, epoch })
    const isCommitted = next.every((hash) => this.#commitment.next.includes(hash))
    const rules = isCommitted
      ? ({ basis: 'full', deadline: NOW + DAY_MS } as const)
      : ({ basis: 'replacement', deadline: NOW + 30 * DAY_MS } as const)
    this.open(request, { ...rules, cosignatures: 1, cosigned: [cosigned] })
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
    const named = { did, scope, userId, publicKeyB64u, epoch, commitment: this.#commitmentNow() }
    return { ...named, disputed: false, deactivated: false, rotation }
  }

  #commitmentNow(): Commitment {
    const { statement } = this.active?.request ?? {}
    return statement && 'next' in statement
      ? { next: statement.next, replaceable: statement.replaceable }
      : this.#commitment
  }

  #keys() {
    const { userId, publicKeyB64u } = this.root
    const genesis = this.record ? this.#genesis : null
    const first = { epoch: 0, userId, publicKeyB64u, activatedAt: NOW, request: null as object | null, genesis }
    if (!this.active) return [first]
    const { request, epoch, newUserId, basis, requestedAt, cosigned } = this.active
    const publicKey = 'newPublicKeyB64u' in request.statement ? request.statement.newPublicKeyB64u : ''
    const replacement = { requestedAt, cosigned: cosigned[0], events: this.events }
    const last = { epoch, userId: newUserId ?? '', publicKeyB64u: publicKey, activatedAt: NOW, request, genesis: null }
    return [first, basis === 'replacement' ? { ...last, replacement } : last]
  }
}

/** The record of any other identity, such as a temporary sender. */
function genesisOf({ block }: Created): object {
  const { scope } = block
  const did = `did:svc:${Buffer.from(scope, 'hex').subarray(0, 24).toString('base64url')}`
  return { did, scope, userId: scope, block, commitment: null, hash: blockHash(block), createdAt: NOW }
}

function refused(status: number, error: string): Response {
  return Response.json({ success: false, error, message: 'Refused', timestamp: NOW }, { status })
}
