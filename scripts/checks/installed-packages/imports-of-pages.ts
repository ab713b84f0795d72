// Lets a program of a page import the packages as they are installed, where a test has installed them.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from '@svc/platform/workspace'

const folder = process.env['SVC_INSTALLED']

if (folder !== undefined)
  registerHooks({
    resolve: (specifier, context, next) => {
      const isOfPage =
        specifier.startsWith('@svc/') && context.parentURL?.startsWith(pathToFileURL(`${ROOT}/[eval`).href)
      if (!isOfPage) return next(specifier, context)
      return next(specifier, { ...context, parentURL: pathToFileURL(join(folder, 'project/main.js')).href })
    },
  })
