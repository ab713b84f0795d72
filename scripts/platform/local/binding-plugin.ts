import { buildSync } from 'esbuild'
import type { Plugin } from 'miniflare'

/** A binding as Miniflare passes it to its plugins. Miniflare's own type comes from a package that is not installed. */
interface ParsedBinding {
  readonly type: string
  readonly dev?: { readonly options?: Readonly<Record<string, unknown>> }
}

export interface LocalBinding {
  readonly name: string
  readonly description: string
  /** The exported function of the file that makes the binding. */
  readonly entrypoint: string
  /** The module that runs in workerd. */
  readonly file: string
}

/** A Miniflare plugin whose bindings are made by a module, with the options of each as its settings. */
export function bindingPlugin({ name, description, entrypoint, file }: LocalBinding): Record<string, Plugin> {
  const moduleName = `${name}:binding`
  const settingsOf = ({ config }: Parameters<Plugin['getBindings']>[0]) =>
    Object.entries((config.env ?? {}) as Readonly<Record<string, ParsedBinding>>)
      .filter(([, { type }]) => type === `unsafe:${name}`)
      .map(([binding, { dev }]) => ({ binding, settings: Object.entries(dev?.options ?? {}) }))
  return {
    [name]: {
      bindingTypeDescription: description,
      getBindings: (options) =>
        settingsOf(options).map(({ binding, settings }) => ({
          name: binding,
          wrapped: {
            moduleName,
            entrypoint,
            innerBindings: settings.map(([key, value]) => ({ name: key, json: JSON.stringify(value) })),
          },
        })),
      getNodeBindings: () => ({}),
      getServices: () => [],
      getExtensions: ({ options }) =>
        options.some((worker) => settingsOf(worker).length > 0)
          ? [{ modules: [{ name: moduleName, esModule: bundled(file), internal: true }] }]
          : [],
    },
  }
}

function bundled(file: string): string {
  const { outputFiles } = buildSync({ entryPoints: [file], write: false, format: 'esm', target: 'es2024' })
  return outputFiles.map(({ text }) => text).join('')
}
