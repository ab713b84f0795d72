/** Vite links what is imported so. */
declare module '*.css' {}
