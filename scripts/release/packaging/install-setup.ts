import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { capture } from '@svc/platform/command'
import type { TestProject } from 'vitest/node'
import { type BuiltPackage, buildPackages } from './build.ts'
import { LocalRegistry } from './local-registry.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    built: BuiltPackage[]
    /** An empty project with the packages installed from their tarballs. */
    project: string
    /** Holds a project for each package, with its tarball and nothing else. */
    alone: string
  }
}

const OWN = 'svc-packages-'
/** One that is named by the environment is kept, and what is built in it is used again. */
const folder = process.env['SVC_INSTALLED'] ?? mkdtempSync(join(tmpdir(), OWN))
const list = join(folder, 'built.json')
const EMPTY = '{ "name": "empty", "version": "0.0.0", "private": true, "type": "module" }\n'
const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel', 'error']

/** Builds and installs the packages once for all tests. */
export async function setup({ provide }: TestProject): Promise<void> {
  if (!existsSync(list)) await buildAndInstall()
  provide('built', JSON.parse(readFileSync(list, 'utf8')) as BuiltPackage[])
  provide('project', join(folder, 'project'))
  provide('alone', join(folder, 'alone'))
}

async function buildAndInstall(): Promise<void> {
  const built = await buildPackages(join(folder, 'built'))
  const registry = await LocalRegistry.start(built)
  try {
    const from = ['--registry', registry.url, '--cache', join(folder, 'cache')]
    const names = built.map(({ name }) => name)
    await install(names, join(folder, 'project'), from)
    // What a registry would send of one package, without the others.
    for (const { name, tarball } of built) await install([tarball], join(folder, 'alone', name), from)
  } finally {
    await registry.stop()
  }
  writeFileSync(list, JSON.stringify(built))
}

/** Installs packages in a project that has nothing else. */
async function install(packages: readonly string[], project: string, from: readonly string[]): Promise<void> {
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), EMPTY)
  const { code, output } = await capture('npm', ['install', ...packages, ...from, '--prefix', project, ...QUIET])
  if (code !== 0) throw new Error(`npm could not install ${packages.join(' ')}.\n${output}`)
}

export function teardown(): void {
  if (basename(folder).startsWith(OWN)) rmSync(folder, { recursive: true, force: true })
}
