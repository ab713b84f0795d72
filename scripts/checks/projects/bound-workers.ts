import { readAllWorkerConfigs, type WorkerConfig } from '@svc/platform/worker-config'

/** All Workers reachable over service and Durable Object bindings, without the Worker itself. */
export function boundWorkers(
  self: WorkerConfig,
  all: readonly WorkerConfig[] = readAllWorkerConfigs(),
): WorkerConfig[] {
  const known = new Map(all.map((config) => [config.scriptName, config]))
  const found = new Set<WorkerConfig>()
  const queue = referencesOf(self)
  for (const scriptName of queue) {
    const config = known.get(scriptName)
    if (config === undefined) throw new Error(`${self.name}: no Worker here is named ${scriptName}`)
    if (scriptName === self.scriptName || found.has(config)) continue
    found.add(config)
    queue.push(...referencesOf(config))
  }
  return [...found]
}

function referencesOf({ options }: WorkerConfig): string[] {
  const services = Object.values(options.serviceBindings ?? {}).flatMap((service) =>
    typeof service === 'object' && 'name' in service && typeof service.name === 'string' ? [service.name] : [],
  )
  const objects = Object.values(options.durableObjects ?? {}).flatMap((object) =>
    typeof object === 'object' && object.scriptName !== undefined ? [object.scriptName] : [],
  )
  return [...services, ...objects]
}
