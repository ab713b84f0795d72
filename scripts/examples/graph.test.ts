import { expect, it } from 'vitest'
import { WORKER_NAMES } from '../lib/workspace.ts'
import { committedConfigs } from '../operations/account.ts'
import type { RawConfig } from '../operations/worker-deployment.ts'
import { allBlocks } from './blocks.ts'

const configs = [...committedConfigs()] as [string, RawConfig & { readonly send_email?: readonly object[] }][]
const [graph = '', ...others] = allBlocks().flatMap(({ info, text }) => (info === 'mermaid' ? [text] : []))

/** `worker -->|name| worker`. */
const drawnEdges = () =>
  [...graph.matchAll(/^ *(\w+) -->\|(\w+)\| (\w+)$/gm)].map(([, from, name, to]) => `${from} ${name} ${to}`)
/** `worker --- node[("name, whose …: what")]`. */
const drawnStores = () =>
  [...graph.matchAll(/^ *(\w+) --- \w+\[\("(\w+)[^"]*"\)\]$/gm)].map(([, owner, name]) => `${owner} ${name}`)

const workerOf = (script: string) => configs.find(([, { name }]) => name === script)?.[0] ?? script

it('the README has one graph, and in it every line is an edge', () => {
  expect(others).toEqual([])
  const lines = graph.split('\n')
  expect(lines[0]).toBe('flowchart LR')
  expect(lines.length - 1).toBe(drawnEdges().length + drawnStores().length)
})

it('it has each binding from one Worker to another, and no other', () => {
  const bound = configs.flatMap(([worker, { services = [], durable_objects }]) => [
    ...services.map(({ service, entrypoint }) => `${worker} ${entrypoint} ${workerOf(service)}`),
    ...(durable_objects?.bindings ?? [])
      .filter(({ script_name }) => script_name !== undefined && workerOf(script_name) !== worker)
      .map(({ class_name, script_name = '' }) => `${worker} ${class_name} ${workerOf(script_name)}`),
  ])
  expect(bound.length).toBeGreaterThan(5)
  expect(drawnEdges().toSorted()).toEqual(bound.toSorted())
})

it('it has each store of each Worker, and no other', () => {
  const kept = configs.flatMap(([worker, config]) => [
    ...new Set([
      ...(config.durable_objects?.bindings ?? [])
        .filter(({ script_name }) => script_name === undefined || workerOf(script_name) === worker)
        .map(({ class_name }) => `${worker} ${class_name}`),
      ...(config.d1_databases ?? []).map(() => `${worker} D1`),
      ...(config.kv_namespaces ?? []).map(() => `${worker} KV`),
      ...(config.r2_buckets ?? []).map(() => `${worker} R2`),
      ...(config.vectorize ?? []).map(() => `${worker} Vectorize`),
      ...(config.send_email ?? []).map(() => `${worker} Mail`),
      ...(config.assets?.binding === undefined ? [] : [`${worker} Assets`]),
    ]),
  ])
  expect(drawnStores().toSorted()).toEqual(kept.toSorted())
})

it('it has all eight', () => {
  for (const worker of WORKER_NAMES) expect(graph).toMatch(new RegExp(`^ *${worker} --`, 'm'))
})
