import { join } from 'node:path'
import { bundleModules } from '../lib/bundle.ts'
import { readWorkerConfig } from '../lib/worker-config.ts'
import type { WorkerName } from '../lib/workspace.ts'

/** A Worker of `scripts/runtime` as the runtime takes it, bundled and dated as a Worker that is deployed. */
export async function runtimeWorker(file: string, like: WorkerName) {
  const config = readWorkerConfig(like)
  const { compatibilityDate, compatibilityFlags } = config.options
  return {
    modules: await bundleModules({ ...config, main: join(import.meta.dirname, '../runtime', file) }),
    ...(compatibilityDate === undefined ? {} : { compatibilityDate }),
    ...(compatibilityFlags === undefined ? {} : { compatibilityFlags }),
  }
}
