/**
 * The release before this one, as it is committed: what its Workers bind to, what they call of each other, and their
 * bundles. `node scripts/release/cut.ts` writes it anew.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { bundleModules, type WorkerModule } from '@svc/platform/bundle'
import { readWorkerConfig, type WorkerOptions } from '@svc/platform/worker-config'
import { ROOT, WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { transform } from 'esbuild'
import { type Contract, contractOf } from './contract/rpc-contract.ts'

const FOLDER = join(ROOT, 'scripts/release/previous')
const FACTS = join(FOLDER, 'release.json')
const BUNDLES = join(FOLDER, 'workers.br')

/** The Workers that have objects or are called by others. */
export const RELEASED: readonly WorkerName[] = WORKER_NAMES.filter((name) => name !== 'docs')

export interface ReleasedFacts {
  readonly commit: string
  readonly contract: Contract
  /** The options of the local runtime, without the code. */
  readonly options: { readonly [worker: string]: WorkerOptions }
}

/** Text as it is, so that what Workers share is found again; other modules in base64. */
interface Packed {
  readonly type: WorkerModule['type']
  readonly path: string
  readonly text: string
}

export function previousFacts(): ReleasedFacts {
  return JSON.parse(readFileSync(FACTS, 'utf8')) as ReleasedFacts
}

/** The modules of each Worker. */
export function previousBundles(): Map<WorkerName, WorkerModule[]> {
  const bundles = JSON.parse(brotliDecompressSync(readFileSync(BUNDLES)).toString()) as Record<
    string,
    readonly Packed[]
  >
  return new Map(
    RELEASED.map((name) => [
      name,
      (bundles[name] ?? []).map(({ type, path, text }) => ({
        type,
        path,
        contents: type === 'ESModule' ? text : new Uint8Array(Buffer.from(text, 'base64')),
      })),
    ]),
  )
}

/** Writes what is checked out as the previous release of what comes next. */
export async function cutRelease(commit: string): Promise<{ bytes: number }> {
  const options: Record<string, WorkerOptions> = {}
  const bundles: Record<string, readonly Packed[]> = {}
  for (const name of RELEASED) {
    const config = readWorkerConfig(name)
    // Rate limits are counted by a plugin of this repository, and have no state. Static assets describe the API.
    const { unsafeBindings: _, assets: __, ...kept } = config.options
    options[name] = kept
    bundles[name] = await Promise.all((await bundleModules(config)).map(packed))
  }
  const facts: ReleasedFacts = { commit, contract: contractOf(), options }
  writeFileSync(FACTS, `${JSON.stringify(facts, null, 1)}\n`)
  const text = Buffer.from(JSON.stringify(bundles))
  const compressed = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      // The Workers share most of their code, megabytes apart.
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.byteLength,
    },
  })
  writeFileSync(BUNDLES, compressed)
  return { bytes: compressed.byteLength }
}

/** Names stay: shared code is then the same text in every Worker, and compresses better than renamed code. */
async function packed({ type, path, contents }: WorkerModule): Promise<Packed> {
  if (type !== 'ESModule') return { type, path, text: Buffer.from(contents as Uint8Array).toString('base64') }
  const { code } = await transform(String(contents), {
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  })
  return { type, path, text: code }
}
