import { join } from 'node:path'
import { bundleModules } from '@svc/platform/bundle'
import { readWorkerConfig } from '@svc/platform/worker-config'
import { ROOT, type WorkerName } from '@svc/platform/workspace'

/** Bundles a Worker below `scripts/`, with the compatibility settings of a deployed Worker. */
export async function runtimeWorker(file: string, like: WorkerName) {
  const config = readWorkerConfig(like)
  const { compatibilityDate, compatibilityFlags } = config.options
  return {
    modules: await bundleModules({ ...config, main: join(ROOT, 'scripts', file) }),
    ...(compatibilityDate === undefined ? {} : { compatibilityDate }),
    ...(compatibilityFlags === undefined ? {} : { compatibilityFlags }),
  }
}
