import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const folder = mkdtempSync(join(tmpdir(), 'svc-packages-'))

/** Builds and installs the packages once for all tests. */
export async function setup({ provide }: TestProject): Promise<void> {
  const built = await buildPackages(join(folder, 'built'))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(
    join(project, 'package.json'),
    '{ "name": "empty", "version": "0.0.0", "private": true, "type": "module" }\n',
  )
  const registry = await LocalRegistry.start(built)
  try {
    const names = built.map(({ name }) => name)
    const settings = ['--registry', registry.url, '--cache', join(folder, 'cache'), '--prefix', project]
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel', 'error']
    const { code, output } = await capture('npm', ['install', ...names, ...settings, ...quiet])
    if (code !== 0) throw new Error(`npm could not install the packages.\n${output}`)
    for (const { name, tarball } of built) await installAlone(name, tarball, [...settings.slice(0, 4), ...quiet])
  } finally {
    await registry.stop()
  }
  provide('built', built)
  provide('project', project)
  provide('alone', join(folder, 'alone'))
}

/** What a registry would send of one package, without the others. */
async function installAlone(name: string, tarball: string, settings: readonly string[]): Promise<void> {
  const project = join(folder, 'alone', name)
  mkdirSync(project, { recursive: true })
  writeFileSync(
    join(project, 'package.json'),
    '{ "name": "empty", "version": "0.0.0", "private": true, "type": "module" }\n',
  )
  const { code, output } = await capture('npm', ['install', tarball, ...settings, '--prefix', project])
  if (code !== 0) throw new Error(`npm could not install ${name} alone.\n${output}`)
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true })
}
