import { extname } from 'node:path'
import { type Loader, transformSync } from 'esbuild'
import type { Seeded } from './locate.ts'

const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.tsx': 'tsx', '.js': 'js', '.mjs': 'js' }

/** Whether the change leaves the program as it was, such as an import that nothing uses: then no test can notice it. */
export function isSameProgram({ path, original, changed }: Seeded): boolean {
  const loader = LOADERS[extname(path)]
  if (loader === undefined) return original === changed
  return compiled(original, loader) === compiled(changed, loader)
}

function compiled(code: string, loader: Loader): string {
  const compilerOptions = { verbatimModuleSyntax: false, jsx: 'react-jsx' } as const
  return transformSync(code, { loader, minifySyntax: true, minifyWhitespace: true, tsconfigRaw: { compilerOptions } })
    .code
}
