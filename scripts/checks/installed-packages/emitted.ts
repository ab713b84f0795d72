import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import type { Plugin } from 'vite'

/**
 * Lets tests of a package run what is installed in `project` in the place of its source: each module that the tarball
 * has, with the dependencies that came with it. What the tarball does not have, such as fixtures, stays source.
 */
export function emitted(name: 'client' | 'cli', project: string): Plugin {
  const dist = join(project, 'node_modules/@svc', name, 'dist')
  const isInstalled = (specifier: string) => {
    const [dependency] = /^(?!@svc\/)(?:@[^/]+\/)?[a-z][^/:]*/.exec(specifier) ?? []
    return dependency !== undefined && existsSync(join(project, 'node_modules', dependency))
  }
  return {
    name: 'emitted-code',
    enforce: 'pre',
    async resolveId(specifier, importer, options) {
      if (importer === undefined || !importer.startsWith(ROOT)) return null
      const from = isInstalled(specifier) ? join(project, 'package.json') : importer
      const found = await this.resolve(specifier, from, { ...options, skipSelf: true })
      if (!found) return null
      const path = relative(join(ROOT, 'packages'), found.id)
      const module = join(dist, path.replace(/\.ts$/, '.js'))
      return path.endsWith('.ts') && existsSync(module) ? module : found
    },
  }
}
