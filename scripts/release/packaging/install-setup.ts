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
  }
}

const folder = mkdtempSync(join(tmpdir(), 'svc-packages-'))

/** Builds and installs the packages once for all tests. */
export async function setup({ provide }: TestProject): Promise<void> {
  const built = await buildPackages(join(folder, 'built'))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n')
  const registry = await LocalRegistry.start(built)
  try {
    const names = built.map(({ name }) => name)
    const settings = ['--registry', registry.url, '--cache', join(folder, 'cache'), '--prefix', project]
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel', 'error']
    const { code, output } = await capture('npm', ['install', ...names, ...settings, ...quiet])
    if (code !== 0) throw new Error(`npm could not install the packages.\n${output}`)
  } finally {
    await registry.stop()
  }
  provide('built', built)
  provide('project', project)
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true })
}
