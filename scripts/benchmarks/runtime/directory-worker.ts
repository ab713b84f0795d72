import { LeafCourier, LogFiles, type PlacedLeaf, type SubmitRefusal, type SubmittedLeaf } from '@svc/log'
import type { Result } from '@svc/protocol/base/result'
import { leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import type { TileName } from '@svc/protocol/merkle/tiles'
import { labelsOf } from '../../../workers/keys/src/labels/labels.ts'
import { directoryLogs } from '../../../workers/keys/src/transparency/logs.ts'
import { TransparencyLogObject as LogObject } from '../../../workers/keys/src/transparency/object.ts'
import { ProofCache } from '../../../workers/keys/src/transparency/proof-cache.ts'
import { TransparencyService } from '../../../workers/keys/src/transparency/service.ts'

export { MapBucketObject } from '../../../workers/keys/src/account-map/bucket-object.ts'
export { AccountMapObject } from '../../../workers/keys/src/account-map/object.ts'
export { AccountDirectoryObject } from '../../../workers/keys/src/directory/object.ts'

interface State {
  readonly size: number
  readonly root: string
}

/** The log, recording the states that its callers see. */
export class TransparencyLogObject extends LogObject {
  readonly #states: State[] = []

  override async submit(
    log: string,
    sentAt: number,
    leaves: readonly SubmittedLeaf[],
  ): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    const placed = await super.submit(log, sentAt, leaves)
    const { size, root } = await this.head(log)
    if (size !== this.#states.at(-1)?.size) this.#states.push({ size, root })
    return placed
  }

  states(): readonly State[] {
    return this.#states
  }
}

/** Leaves per call when filling the log. */
const CHUNK = 8_192

/** Disables the cache, so that each proof is computed. */
const NO_CACHE = new (class extends ProofCache {
  override find<T, E>(_path: string, _now: number, make: () => Promise<Result<T, E>>): Promise<Result<T, E>> {
    return make()
  }
})('')

const REALMS = ['https://core.bench'] as const

/** Counts reads from R2. */
class CountingFiles extends LogFiles {
  reads = 0

  override tile(tile: TileName, size: number): Promise<Uint8Array> {
    this.reads += 1
    return super.tile(tile, size)
  }
}

/** Kept for the lifetime of an isolate. */
function partsOf(env: Env) {
  const logs = directoryLogs(env)
  const { configured: log } = logs
  const files = new CountingFiles(env.TILES, log)
  logs.files = () => files
  const service = new TransparencyService({
    objects: env.TRANSPARENCY_LOG,
    logs,
    accounts: env.ACCOUNT_DIRECTORIES,
    cache: NO_CACHE,
    witnesses: [],
    realms: REALMS,
  })
  const submit = (name: string, sentAt: number, leaves: readonly SubmittedLeaf[]) =>
    env.TRANSPARENCY_LOG.getByName(name).submit(name, sentAt, leaves)
  return { log, files, service, courier: new LeafCourier(submit) }
}
let parts: ReturnType<typeof partsOf> | undefined

/** The update of an account of its own. */
function leafOf(i: number) {
  const statementHash = i.toString(16).padStart(96, '0')
  const label = statementHash.slice(32)
  return { leafId: leafIdOf(label, statementHash), entry: updateLine({ label, seq: 1, statementHash }) }
}

/** A package as stored. The object does not check its signatures. */
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
        realm: REALMS[0],
        did,
        scope: '0'.repeat(96),
        rootEpoch: 0,
        deviceId,
        ...suite,
        version,
        keyPackageHash: hash,
        inception: null,
        issuedAt,
      },
      signatureB64u,
    },
    keyPackage: {
      statement: {
        type: 'svc/key-package/v1',
        realm: REALMS[0],
        did,
        deviceId,
        devicePublicKeyB64u: 'K'.repeat(2603),
        ...suite,
        kemPublicKeyB64u: 'M'.repeat(1579),
        inception: null,
        issuedAt,
      },
      signatureB64u,
    },
  } as const
}

/** Calls the objects of the key directory and its log, without assertions and publication signatures. */
export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    parts ??= partsOf(env)
    const { log: name, files, service, courier } = parts
    const log = env.TRANSPARENCY_LOG.getByName(name)
    switch (pathname) {
      case '/fill':
        for (let i = number('from'); i < number('to'); i += CHUNK) {
          const count = Math.min(CHUNK, number('to') - i)
          await log.submit(
            name,
            Date.now(),
            Array.from({ length: count }, (_, j) => leafOf(i + j)),
          )
        }
        return new Response()
      case '/head':
        return Response.json({ size: (await log.head(name)).size })
      case '/states':
        return Response.json(await (log as unknown as DurableObjectStub<TransparencyLogObject>).states())
      case '/proof': {
        files.reads = 0
        const leaf = number('leaf')
        // Leaf 0 opens the log.
        const found = await service.inclusionAt(
          leafOf(leaf).leafId,
          { seq: 1, position: { log: name, index: leaf + 1 } },
          Date.now(),
        )
        return Response.json({ reads: files.reads, found })
      }
      case '/missing': {
        const leafIds = await request.json<string[]>()
        const located = await Promise.all(leafIds.map(async (leafId) => log.locate(name, leafId)))
        return Response.json(located.filter((index) => index === null).length)
      }
      case '/audit':
        return Response.json(await service.audit(name, number('first'), number('second'), Date.now()))
      case '/publish': {
        const account = number('account')
        const pair = pairOf(account, number('version'))
        const label = labelsOf(env).of(pair.credential.statement.did)
        const directory = env.ACCOUNT_DIRECTORIES.getByName(label)
        const published = await directory.publish(label, pair, [])
        if (!published.ok) return Response.json(published)
        const { leafId } = published.value.row
        const askedAt = Date.now()
        ctx.waitUntil(directory.sendTo(name).then((leaves) => courier.carry(name, askedAt, leaves)))
        return Response.json({ leafId })
      }
      default:
        return new Response(null, { status: 404 })
    }
  },
}
