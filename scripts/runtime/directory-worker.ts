import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import type { TileName } from '@svc/protocol/merkle-tiles'
import type { Result } from '@svc/protocol/result'
import { directoryLeafSchema, leafEntry } from '@svc/protocol/transparency'
import { LeafCourier } from '../../workers/keys/src/transparency/leaf-courier.ts'
import { ProofCache } from '../../workers/keys/src/transparency/proof-cache.ts'
import { TileStore } from '../../workers/keys/src/transparency/tile-store.ts'
import { TransparencyLogObject as LogObject } from '../../workers/keys/src/transparency/transparency-log-object.ts'
import { TransparencyService } from '../../workers/keys/src/transparency/transparency-service.ts'

export { AccountDirectoryObject } from '../../workers/keys/src/directory/account-directory-object.ts'

interface State {
  readonly size: number
  readonly root: string
}

/** The log, which keeps here every state that it has had: an alarm makes one batch at most. */
export class TransparencyLogObject extends LogObject {
  readonly #states: State[] = []

  override async alarm(): Promise<void> {
    await super.alarm()
    const { size, root } = this.head()
    if (size !== this.#states.at(-1)?.size) this.#states.push({ size, root })
  }

  states(): readonly State[] {
    return this.#states
  }
}

/** Leaves in one call of a filling. */
const CHUNK = 2_048

/** Each proof is made. */
const NO_CACHE = new (class extends ProofCache {
  override find<T, E>(_path: string, _now: number, make: () => Promise<Result<T, E>>): Promise<Result<T, E>> {
    return make()
  }
})('')

/** Counts what is read of R2. */
class CountingTiles extends TileStore {
  reads = 0

  override tile(tile: TileName, size: number): Promise<Uint8Array> {
    this.reads += 1
    return super.tile(tile, size)
  }
}

/** What the Worker keeps for the life of an isolate. */
function partsOf(env: Env) {
  const tiles = new CountingTiles(env.TILES)
  const service = new TransparencyService({
    logs: env.TRANSPARENCY_LOG,
    tiles,
    cache: NO_CACHE,
    signer: new DeploymentSigner(env.DIRECTORY_LOG_SEED),
    origin: 'https://keys.bench',
    witnesses: [],
  })
  return { tiles, service, courier: new LeafCourier(env.TRANSPARENCY_LOG) }
}
let parts: ReturnType<typeof partsOf> | undefined

function leafOf(i: number) {
  const leafId = i.toString(16).padStart(96, '0')
  const leaf = { kind: 'credential', did: `did:svc:${'A'.repeat(32)}`, deviceId: 'B'.repeat(32), statementHash: leafId }
  return { leafId, entry: leafEntry(directoryLeafSchema.parse(leaf)) }
}

/** A package as it is stored; whose signatures it has nobody asks the object. */
function pairOf(account: number, version: number) {
  const did = `did:svc:${account.toString().padStart(32, 'A')}`
  const deviceId = 'D'.repeat(32)
  const suite = { profile: 'bound-v4', suiteId: 'mlkem768-mldsa65-sha3384' } as const
  const signatureB64u = 'S'.repeat(4412)
  const issuedAt = 1_790_000_000_000
  const hash = version.toString(16).padStart(96, '0')
  return {
    credential: {
      statement: {
        type: 'svc/device-credential/v1',
        did,
        scope: '0'.repeat(96),
        rootEpoch: 0,
        deviceId,
        ...suite,
        version,
        keyPackageHash: hash,
        issuedAt,
      },
      signatureB64u,
    },
    keyPackage: {
      statement: {
        type: 'svc/key-package/v1',
        did,
        deviceId,
        devicePublicKeyB64u: 'K'.repeat(2603),
        ...suite,
        kemPublicKeyB64u: 'M'.repeat(1579),
        issuedAt,
      },
      signatureB64u,
    },
  } as const
}

/** Drives the objects of the key directory and its log, without assertions and signatures of publications. */
export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    const log = env.TRANSPARENCY_LOG.getByName('log')
    parts ??= partsOf(env)
    const { tiles, service, courier } = parts
    switch (pathname) {
      case '/fill':
        for (let i = number('from'); i < number('to'); i += CHUNK) {
          const count = Math.min(CHUNK, number('to') - i)
          await log.submit(Array.from({ length: count }, (_, j) => leafOf(i + j)))
        }
        return new Response()
      case '/head':
        return Response.json({ size: (await log.head()).size })
      case '/states':
        return Response.json(await (log as unknown as DurableObjectStub<TransparencyLogObject>).states())
      case '/proof': {
        tiles.reads = 0
        const found = await service.inclusion(leafOf(number('leaf')).leafId, Date.now())
        return Response.json({ reads: tiles.reads, found })
      }
      case '/missing': {
        const leafIds = await request.json<string[]>()
        const located = await Promise.all(leafIds.map(async (leafId) => log.locate(leafId)))
        return Response.json(located.filter(({ index }) => index === null).length)
      }
      case '/audit':
        return Response.json(await service.audit(number('first'), number('second'), Date.now()))
      case '/publish': {
        const account = number('account')
        const pair = pairOf(account, number('version'))
        const { did, deviceId } = pair.credential.statement
        const published = await env.ACCOUNT_DIRECTORIES.getByName(did).publish(pair, [])
        if (!published.ok) return Response.json(published)
        const { leafId } = published.value.row
        ctx.waitUntil(courier.carry({ kind: 'credential', did, deviceId, statementHash: leafId }))
        return Response.json({ leafId })
      }
      default:
        return new Response(null, { status: 404 })
    }
  },
}
