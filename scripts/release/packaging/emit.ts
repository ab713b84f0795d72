import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'
import { lean, SCHEMA_LIBRARY } from './lean-schemas.ts'
import { type Contents, inlinedSource } from './published-packages.ts'
import { markPure } from './pure.ts'

const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])(@svc\/[^'"]+)\2/g

/**
 * Writes JavaScript and declarations, one file per source file, so that bundlers can drop unused modules and stepping
 * into the SDK shows readable code.
 */
export async function emit({ files, manifest }: Contents, folder: string): Promise<void> {
  const work = mkdtempSync(join(ROOT, 'node_modules/.package-'))
  try {
    // Nothing from Node.js or Workers may be used, but where programs are meant.
    const isForNode = (file: string) => file.includes('/src/node/') || file.startsWith('packages/cli/')
    // A program explains errors without asking anybody.
    const keepsTexts = manifest.bin !== undefined
    await compile(
      files.filter((file) => !isForNode(file)),
      work,
    )
    const forNode = files.filter(isForNode)
    if (forNode.length > 0) await compile(forNode, work, ['node'])
    for (const file of files)
      for (const suffix of ['.js', '.d.ts'] as const) {
        const emitted = file.replace(/^packages\//, '').replace(/\.ts$/, suffix)
        const target = join(folder, distPath(file, suffix))
        mkdirSync(dirname(target), { recursive: true })
        const own = withOwnPaths(readFileSync(join(work, 'out', emitted), 'utf8'), file)
        // Declarations keep Zod's types.
        const text = suffix === '.js' ? withOwnSchemas(own, file) : own
        writeFileSync(target, suffix === '.js' ? markPure(lean(text, file, keepsTexts)) : text)
      }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The path of a source file in the published package. */
export function distPath(file: string, suffix: '.js' | '.d.ts'): string {
  return file.replace(/^packages\/([^/]+)\/src\//, 'dist/$1/').replace(/\.ts$/, suffix)
}

/** Rewrites imports of inlined workspace packages to relative paths. */
function withOwnPaths(text: string, file: string): string {
  return text.replaceAll(SPECIFIER, (whole, before: string, quote: string, specifier: string) => {
    const source = inlinedSource(specifier)
    if (source === null) return whole
    const path = relative(dirname(distPath(file, '.js')), distPath(source, '.js'))
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
  })
}

/** Imports the small build of the schema library instead of `zod`. */
function withOwnSchemas(text: string, file: string): string {
  const path = relative(dirname(distPath(file, '.js')), distPath(SCHEMA_LIBRARY, '.js'))
  return text.replaceAll(/(\bfrom\s*)(['"])zod\2/g, `$1$2${path.startsWith('.') ? path : `./${path}`}$2`)
}

async function compile(files: readonly string[], work: string, types: readonly string[] = []): Promise<void> {
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      outDir: join(work, 'out'),
      rootDir: join(ROOT, 'packages'),
      declaration: true,
      // Comments stay, because editors show them as documentation.
      removeComments: false,
      rewriteRelativeImportExtensions: true,
      lib: ['es2024', 'dom', 'dom.iterable'],
      types,
      // By path, because the compiler emits nothing for files in node_modules.
      paths: {
        '@svc/client/node': [join(ROOT, 'packages/client/src/node/node.ts')],
        '@svc/client/*': [join(ROOT, 'packages/client/src/*.ts')],
        '@svc/fingerprint/images': [join(ROOT, 'packages/fingerprint/src/images/images.ts')],
        '@svc/protocol/*': [join(ROOT, 'packages/protocol/src/*.ts')],
        '@svc/pqc/*': [join(ROOT, 'packages/pqc/src/*.ts')],
        '@svc/*': [join(ROOT, 'packages/*/src/index.ts')],
      },
    },
    files: files.map((file) => join(ROOT, file)),
  }
  const path = join(work, 'tsconfig.json')
  writeFileSync(path, JSON.stringify(config))
  const { code, output } = await capture('tsc', ['-p', path])
  if (code !== 0) throw new SetupError(`The published packages do not compile.\n${output}`)
}
