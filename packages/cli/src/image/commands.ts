import type { CommandSpec } from '../command.ts'

const FRAMES = [
  '--frames <files...>',
  'pictures of it in order, such as of: ffmpeg -i film.mp4 -vf fps=1 frame-%04d.png',
] as const
const EVERY = ['--every <ms>', 'time from one frame to the next (default: 1000)'] as const

export const IMAGE_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'image register',
    summary: 'Sign and register a PNG or JPEG, so that copies of it are found; the picture stays here',
    args: ['<file>'],
    result: 'RegisteredCapsule of provenance',
    examples: ['svc image register photo.png'],
    page: '/developer/image-fingerprint',
    run: async (context, given) => (await import('./images.ts')).registerPicture(context, given),
  },
  {
    path: 'image search',
    summary: 'Find registered images that look like this one',
    args: ['<file>'],
    options: [['--orientations', 'also turned by right angles, or mirrored']],
    result: ['matches'],
    examples: ['svc image search copy.jpg', 'svc image search copy.jpg --orientations'],
    page: '/developer/image-fingerprint',
    run: async (context, given) => (await import('./images.ts')).searchPicture(context, given),
  },
  {
    path: 'image models',
    summary: 'List the models of this deployment for other vectors, or download one, verified by its hash',
    options: [
      ['--get <name>', 'the file to download'],
      ['--out <file>', 'where to (default: its name)'],
    ],
    result: ['models', 'file'],
    examples: ['svc image models'],
    run: async (context, given) => (await import('./images.ts')).models(context, given),
  },
]

export const VIDEO_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'video register',
    summary: 'Sign and register a video by frames of it, so that clips are found; the video stays here',
    args: ['<file>'],
    options: [FRAMES, EVERY, ['--mime <type>', 'its media type (default: video/mp4)']],
    result: 'RegisteredCapsule of provenance',
    examples: ['svc video register film.mp4 --frames frame-*.png'],
    page: '/developer/image-fingerprint',
    run: async (context, given) => (await import('./videos.ts')).registerFilm(context, given),
  },
  {
    path: 'video search',
    summary: 'Find registered videos with the same pictures',
    options: [FRAMES, EVERY, ['--clip', 'the frames are only a part of the video']],
    result: ['matches'],
    examples: ['svc video search --frames frame-*.png --clip'],
    page: '/developer/image-fingerprint',
    run: async (context, given) => (await import('./videos.ts')).searchFilm(context, given),
  },
]
