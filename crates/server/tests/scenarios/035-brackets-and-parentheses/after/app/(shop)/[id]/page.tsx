export { Page }
