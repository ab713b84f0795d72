import { committedConfigs } from '@svc/operations/account'
import type { RawConfig } from '@svc/operations/worker-deployment'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { allBlocks } from './blocks.ts'

const configs = [...committedConfigs()] as [string, RawConfig & { readonly send_email?: readonly object[] }][]
const drawings = allBlocks().flatMap(({ info, text }) => (info === 'mermaid' ? [text] : []))
const [graph = '', ...others] = drawings.filter((text) => text.includes('[("D1: '))
const pictures = drawings.filter((text) => text.startsWith('flowchart') && !text.includes('[("D1: '))

/** `worker -->|name| worker`. */
const drawnEdges = () =>
  [...graph.matchAll(/^ *(\w+) -->\|(\w+)\| (\w+)$/gm)].map(([, from, name, to]) => `${from} ${name} ${to}`)
/** `worker --- node[("name, whose …: what")]`. */
const drawnStores = () =>
  [...graph.matchAll(/^ *(\w+) --- \w+\[\("(\w+)[^"]*"\)\]$/gm)].map(([, owner, name]) => `${owner} ${name}`)

/** Whether its assets have more than the description of its API. */
const hasPages = ({ assets }: RawConfig) => assets?.binding === 'PAGES'

const workerOf = (script: string) => configs.find(([, { name }]) => name === script)?.[0] ?? script

it('there is one graph of bindings, and every line in it is an edge', () => {
  expect(others).toEqual([])
  const lines = graph.split('\n')
  expect(lines[0]).toBe('flowchart LR')
  expect(lines.length - 1).toBe(drawnEdges().length + drawnStores().length)
})

it('it has exactly the bindings between Workers', () => {
  const bound = configs.flatMap(([worker, { services = [], durable_objects }]) => [
    ...services.map(({ service, entrypoint }) => `${worker} ${entrypoint} ${workerOf(service)}`),
    ...(durable_objects?.bindings ?? [])
      .filter(({ script_name }) => script_name !== undefined && workerOf(script_name) !== worker)
      .map(({ class_name, script_name = '' }) => `${worker} ${class_name} ${workerOf(script_name)}`),
  ])
  expect(bound.length).toBeGreaterThan(5)
  expect(drawnEdges().toSorted()).toEqual(bound.toSorted())
})

it('it has exactly the stores of each Worker', () => {
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
      ...(hasPages(config) ? [`${worker} Assets`] : []),
    ]),
  ])
  expect(drawnStores().toSorted()).toEqual(kept.toSorted())
})

it('leaves out only what every Worker has: the description of its API', () => {
  for (const [worker, config] of configs) {
    const binding = hasPages(config) ? 'PAGES' : 'API_DESCRIPTION'
    expect(config.assets, worker).toMatchObject({ binding, run_worker_first: true })
  }
})

it('every other flowchart is small', () => {
  expect(pictures.length).toBeGreaterThan(0)
  for (const picture of pictures) expect(picture.match(/--/g)?.length, picture).toBeLessThanOrEqual(8)
})

it('it has all eight', () => {
  for (const worker of WORKER_NAMES) expect(graph).toMatch(new RegExp(`^ *${worker} --`, 'm'))
})
